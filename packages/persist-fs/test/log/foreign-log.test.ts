import { copyFileSync, cpSync, readdirSync, readFileSync, rmSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { ConversationState } from '@conv/core';
import { userMessage } from '@conv/core/events';
import { toConversationKey } from '@conv/core/store';
import { makeTwins, see, seeRepaired } from '@conv/testing-harness';
import { expect, onTestFinished, test } from 'vitest';
import { FsStore } from '../../src/index.ts';
import { freshFolder } from '../support/fresh-folder.ts';

const STRICT = { confirmationPolicy: { kind: 'AlwaysConfirm' }, maxIterations: 5 };
const FORK = '00000000-0000-4000-8000-00000000000f';

function storeIn(directory: string): FsStore {
  const store = new FsStore({ directory });
  onTestFinished(() => store.close());
  return store;
}

test.each([
  [['.conv/index'], 5],
  [['events'], 0],
  [['.conv/index', 'events'], 0],
  [['.conv/index', 'events', '.conv/snapshot', '.conv/owner.json'], 0],
])(
  'P4: a foreign log without %j shows nothing of its conversation, and the state file tells the loss',
  async (gone, left) => {
    const directory = await freshFolder();
    const first = storeIn(directory);
    const { strict, lax } = await makeTwins(first, 5);
    await first.close();
    const [own, other] = [strict, lax].map((id) => join(directory, toConversationKey(id))) as [string, string];
    copyFileSync(join(other, '.conv/epoch-00000001.wal'), join(own, '.conv/epoch-00000001.wal'));
    for (const name of gone) rmSync(join(own, name), { recursive: true });
    const { seen, after } = await seeRepaired(storeIn(directory), strict);
    for (const one of [seen, after]) {
      expect(one).toMatchObject({ words: Array<string>(left).fill('strict'), lost: [0, 1, 2, 3, 4, 5, 6] });
      expect(one.fields).toMatchObject({ ...STRICT, id: strict, damaged: true });
    }
    expect(seen.findings).toEqual(expect.arrayContaining(['log damaged', 'log lost']));
    expect(after.findings).toEqual(['log known']);
    expect(readdirSync(join(own, '.conv/foreign'))).toHaveLength(1);
  },
);

test('P4: the first file of another log is not shown in front of the own files after it', async () => {
  const directory = await freshFolder();
  const first = storeIn(directory);
  const { strict } = await makeTwins(first, 5);
  const { lax } = await makeTwins(first, 3);
  const state = await ConversationState.open(await first.open(strict, { owner: 'next' }), { id: strict });
  await state.append([userMessage('strict again')]);
  await state.close();
  await first.close();
  const [own, other] = [strict, lax].map((id) => join(directory, toConversationKey(id))) as [string, string];
  copyFileSync(join(other, '.conv/epoch-00000001.wal'), join(own, '.conv/epoch-00000001.wal'));
  for (const name of ['.conv/index', 'events']) rmSync(join(own, name), { recursive: true });
  const { seen, after } = await seeRepaired(storeIn(directory), strict);
  for (const one of [seen, after]) {
    expect(one).toMatchObject({ words: ['strict'], lost: [0, 1, 2, 3, 4, 5, 6], fields: { ...STRICT, damaged: true } });
  }
  expect(seen.findings).toEqual(expect.arrayContaining(['log damaged', 'log lost']));
});

test('P4: a file that was cut in front of its first event is a file of its own log', async () => {
  const directory = await freshFolder();
  const first = storeIn(directory);
  const { strict } = await makeTwins(first, 5);
  await first.close();
  const folder = join(directory, toConversationKey(strict));
  const wal = join(folder, '.conv/epoch-00000001.wal');
  truncateSync(wal, readFileSync(wal).indexOf('strict 0'));
  const { seen, after } = await seeRepaired(storeIn(directory), strict);
  expect(seen).toMatchObject({ words: Array<string>(5).fill('strict'), lost: [2, 3, 4, 5, 6] });
  expect([seen.findings, after.findings]).toEqual([['log lost'], ['log known']]);
});

test('P6: the files that a fork has of its source are its own, also without index and event files', async () => {
  const directory = await freshFolder();
  const first = storeIn(directory);
  const { strict } = await makeTwins(first, 5);
  await first.fork(strict, FORK, { patch: { set: { id: FORK } } });
  await first.mirrorComplete(FORK);
  await first.close();
  const folder = join(directory, toConversationKey(FORK));
  for (const name of ['.conv/index', 'events']) rmSync(join(folder, name), { recursive: true });
  expect(await see(storeIn(directory), FORK)).toMatchObject({
    words: Array<string>(5).fill('strict'),
    lost: [],
    fields: { ...STRICT, id: FORK, damaged: false },
  });
});

/** Returns the content of every file in a folder, by its name. */
function contents(folder: string): Record<string, string> {
  const names = (readdirSync(folder, { recursive: true }) as string[]).toSorted();
  const files = names.filter((name) => statSync(join(folder, name)).isFile());
  return Object.fromEntries(files.map((name) => [name, readFileSync(join(folder, name), 'base64')]));
}

test.each([
  ['the whole .conv folder', []],
  ['the whole .conv folder, without the event files', ['events']],
  ['the whole .conv folder, without base_state.json', ['base_state.json']],
  ['the whole .conv folder, without its snapshot', ['.conv/snapshot']],
])('P4: %s of another conversation is refused, and neither opening nor repair changes a file', async (_, gone) => {
  const directory = await freshFolder();
  const first = storeIn(directory);
  const { strict, lax } = await makeTwins(first, 5);
  await first.close();
  const [own, other] = [strict, lax].map((id) => join(directory, toConversationKey(id))) as [string, string];
  rmSync(join(own, '.conv'), { recursive: true });
  cpSync(join(other, '.conv'), join(own, '.conv'), { recursive: true });
  for (const name of gone) rmSync(join(own, name), { recursive: true });
  const before = contents(own);
  const store = storeIn(directory);
  const names: unknown = expect.stringMatching(new RegExp(`${strict}.*${lax}`));
  await expect(store.open(strict, { owner: 'next' })).rejects.toMatchObject({ code: 'CORRUPT', message: names });
  await expect(store.read(strict)).rejects.toMatchObject({ code: 'CORRUPT', message: names });
  for (const repair of [false, true])
    expect((await store.check(strict, { repair })).findings).toEqual([
      { part: 'log', severity: 'lost', message: names, repaired: false },
    ]);
  expect(contents(own)).toEqual(before);
});

test('P6: a fork that lost the commit with its id is not taken for another conversation', async () => {
  const directory = await freshFolder();
  const first = storeIn(directory);
  const { strict } = await makeTwins(first, 5);
  await first.fork(strict, FORK, { patch: { set: { id: FORK } } });
  await first.mirrorComplete(FORK);
  await first.close();
  const wal = join(directory, toConversationKey(FORK), '.conv/epoch-00000002.wal');
  truncateSync(wal, readFileSync(wal).indexOf(FORK));
  expect(await see(storeIn(directory), FORK)).toMatchObject({ words: Array<string>(5).fill('strict'), lost: [7] });
});
