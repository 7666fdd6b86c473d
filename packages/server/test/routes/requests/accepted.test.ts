import { join } from 'node:path';

import { expect, test } from 'vitest';

import type { Effect } from './effect.ts';
import { EFFECTS } from './effects.ts';
import { HOLDERS } from './holders.ts';
import { missingTests, ROOT } from './named-tests.ts';
import { requestDocument } from './request-document.ts';
import { servedMembers } from './served-members.ts';
import { textOfTest } from './test-text.ts';

/** Members that tell kinds of objects apart: tests write the kind and not the member. */
const COMMON: ReadonlySet<string> = new Set(['kind', 'type', 'strategy']);

function effectOf(owner: string, member: string): Effect | undefined {
  return EFFECTS[owner]?.[member] ?? EFFECTS[owner]?.['*'];
}

test('each member of each request acts, is refused by name, or is known to do nothing', async () => {
  const { members } = await servedMembers();
  const unknown = [...members].flatMap(([owner, names]) =>
    names.filter((name) => !effectOf(owner, name)).map((name) => `${owner}.${name}`),
  );
  expect([...members.values()].flat().length).toBeGreaterThan(300);
  expect(unknown).toEqual([]);
});

test('nothing is said of members that no request has', async () => {
  const { members } = await servedMembers();
  const stale = Object.entries(EFFECTS).flatMap(([owner, effects]) =>
    Object.keys(effects)
      .filter((name) => name !== '*' && members.get(owner)?.includes(name) !== true)
      .map((name) => `${owner}.${name}`),
  );
  expect(stale).toEqual([]);
  expect(Object.keys(EFFECTS).filter((owner) => !members.has(owner))).toEqual([]);
});

test('each test that is named for a member is there', () => {
  expect(missingTests(EFFECTS, 60)).toEqual([]);
});

test('each test that is named for a member mentions the member itself, also where members share a test', async () => {
  const { members } = await servedMembers();
  const shown = [...members].flatMap(([owner, names]) =>
    names.flatMap((name) => {
      const effect = effectOf(owner, name);
      return effect?.kind === 'acts' && !COMMON.has(name) ? [{ owner, name, ...effect }] : [];
    }),
  );
  const silent = shown.filter(({ file, test: title, name }) => {
    const camel = name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
    const text = textOfTest(file, title);
    return ![name, camel].some((word) => new RegExp(`\\b${word}\\b`).test(text));
  });
  expect(shown.length).toBeGreaterThan(150);
  expect(silent.map(({ owner, name, file, test: title }) => `${owner}.${name}: ${file}: ${title}`)).toEqual([]);
});

test('the document about requests says what this says', async () => {
  const page = requestDocument(await servedMembers(), effectOf, HOLDERS);
  await expect(page).toMatchFileSnapshot(join(ROOT, 'docs/openhands-requests.md'));
});
