import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';

import { readEvents } from '@conv/core/store';
import { expect, onTestFinished, test } from 'vitest';

import { FsStore, type Finding } from '../../src/index.ts';
import { freshFolder } from '../support/fresh-folder.ts';

const fixtures = join(import.meta.dirname, '../../../../testing/fixtures/conversations');
const keys = readdirSync(fixtures).filter((name) => /^[0-9a-f]{32}$/.test(name));

const INSTEAD = {
  'a folder': mkdirSync,
  'a FIFO': (file: string) => execFileSync('mkfifo', [file]),
};

/** A copy of a folder that OpenHands wrote, with something else in place of one of its event files. */
async function spoilt(
  key: string,
  at: number,
  put: (file: string) => unknown,
): Promise<{ store: FsStore; name: string; findings: Finding[] }> {
  const directory = await freshFolder();
  await cp(join(fixtures, key), join(directory, key), { recursive: true });
  rmSync(join(directory, key, 'owner_lease.json'), { force: true });
  const names = readdirSync(join(directory, key, 'events'))
    .filter((name) => name.startsWith('event-'))
    .toSorted();
  const name = names.at(at) ?? '';
  rmSync(join(directory, key, 'events', name));
  put(join(directory, key, 'events', name));
  const findings: Finding[] = [];
  const store = new FsStore({ directory, report: (finding) => findings.push(finding) });
  onTestFinished(() => store.close());
  return { store, name, findings };
}

const places = keys.flatMap((key) => [0, 1, -1].map((at) => [key, at] as const));

test.each(Object.entries(INSTEAD).flatMap(([kind, put]) => places.map(([key, at]) => [kind, key, at, put] as const)))(
  'P4: %s in place of an event file of OpenHands (%s, %i) costs that event, and is named',
  async (_, key, at, put) => {
    const { store, name, findings } = await spoilt(key, at, put);
    const id = (await store.list()).items[0]?.id ?? '';
    const reader = await store.read(id);
    const read = reader ? (await Array.fromAsync(readEvents(reader, 0))).length : 0;
    await reader?.close();
    const journal = await store.open(id, { owner: 'ours' });
    expect((await Array.fromAsync(readEvents(journal, 0))).length).toBe(read);
    await journal.close();
    const reasons = findings.flatMap((finding) => (finding.kind === 'misfit' ? finding.reason : []));
    expect(reasons).toContainEqual(expect.stringMatching(new RegExp(`${name}.* is left out`)));
  },
);
