import { isCi } from '@conv/testing-harness';
import { beforeAll, describe, expect, test } from 'vitest';

import { canaries } from './canary/canaries.ts';
import { waysIn } from './canary/carrier.ts';
import { closedWays, expectedWays } from './canary/expected-ways.ts';
import type { Sample } from './canary/folder-samples.ts';
import type { Variant } from './canary/order.ts';
import { media, runCanary, type Capture, type Medium } from './canary/run-canary.ts';
import { Searcher } from './canary/searcher.ts';

// Searched, for everything that `needlesOf` says: every file of the processes at their end and at every look before it (the
// folders of conversations, of temporary files, of the user's home), all that they wrote to standard output and error, and
// all that they sent to the model and to the server of a secret. Not searched: the workspace, which is the user's, where the
// values stand in files that commands print; what the model sends, which is where values come from; and the two headers that
// carry a key to its own server. Only text that was stored before its value was known stays:
// `canary/earlier-history.test.ts`.

const all = {
  'values kept encrypted': { masking: true, cipher: true },
  'values not kept': { masking: true, cipher: false },
  'masking off': { masking: false, cipher: true },
} satisfies Readonly<Record<string, Variant>>;

/** CI leaves out the run that stores least. */
const variants: Readonly<Record<string, Variant>> = Object.fromEntries(
  Object.entries(all).filter(([name]) => !isCi || name !== 'values not kept'),
);

const searcher = new Searcher(canaries);
const searcherOfWholes = new Searcher(canaries, ['whole']);
const captures = new Map<string, Capture>();

beforeAll(async () => {
  const entries = Object.entries(variants);
  const made = await Promise.all(entries.map(([, variant]) => runCanary(variant)));
  for (const [index, [name]] of entries.entries()) captures.set(name, made[index] as Capture);
}, 180_000);

const maskedRuns = Object.keys(variants).filter((name) => name !== 'masking off');

describe.each(Object.keys(variants))('twenty secrets in a conversation with %s', (name) => {
  test('twenty secrets take every way, in two processes that do all that the model says', () => {
    const capture = captureOf(name);
    const taken = new Set(media.flatMap((medium) => [...waysOf(capture[medium]).keys()]));
    expect(capture.problems).toEqual([]);
    expect([...taken].filter((way) => !closedWays.includes(way)).toSorted()).toEqual(expectedWays.toSorted());
  });

  test('twenty secrets are looked for while commands run, in files that are gone afterwards too', () => {
    const names = captureOf(name).disk.map(({ file }) => file);
    expect(names).toContainEqual(expect.stringMatching(/\/temporary\/conv-terminal-[^/]+\/command$/));
    expect(names).toContainEqual(expect.stringMatching(/\/observations\/terminal_output_[^/]+\.txt$/));
  });
});

describe.each(maskedRuns)('P9: of twenty secrets, with %s, not eight bytes in any encoding', (name) => {
  test.each(media)('P9: no eight bytes of a masked secret are in what is written to the %s', (medium) => {
    const capture = captureOf(name);
    // a run that broke off has nothing to show
    expect(capture.problems).toEqual([]);
    expect(leaksIn(capture[medium])).toEqual([]);
  });
});

describe.each(media)('with masking off each of the twenty, in what is written to the %s,', (medium) => {
  test('an unmasked secret is found whole and by its name', () => {
    const all = canaries.map(({ id }) => id);
    expect(wholeIn(captureOf('masking off')[medium], all)).toEqual(new Set(all));
  });

  test('an unmasked secret has taken at least thirty ways', () => {
    const ways = [...waysOf(captureOf('masking off')[medium]).values()];
    const seldom = canaries.filter(({ id }) => ways.filter((ids) => ids.has(id)).length < 30);
    expect(seldom).toEqual([]);
  });
});

function captureOf(name: string): Capture {
  const capture = captures.get(name);
  if (!capture) throw new Error(`there was no run with ${name}`);
  return capture;
}

const knownWays = new Map<Capture[Medium], ReadonlyMap<string, ReadonlySet<string>>>();

function waysOf(samples: Capture[Medium]): ReadonlyMap<string, ReadonlySet<string>> {
  const ways = knownWays.get(samples) ?? waysIn(Buffer.concat(samples.map(({ bytes }) => bytes)));
  knownWays.set(samples, ways);
  return ways;
}

/** Returns the leaks in words: one for each secret and form in each file. */
function leaksIn(samples: readonly Sample[]): readonly string[] {
  const leaks = samples.flatMap(({ file, bytes }) =>
    searcher.search(bytes).map(({ id, form, extent, around }) => `${id}, ${extent}, ${form}, in ${file}: …${around}`),
  );
  return leaks.slice(0, 40);
}

/** The secrets that are found whole; looks no further when it has all of them. */
function wholeIn(samples: readonly Sample[], wanted: readonly string[]): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const { bytes } of samples) {
    for (const { id } of searcherOfWholes.search(bytes)) ids.add(id);
    if (ids.size === wanted.length) break;
  }
  return ids;
}
