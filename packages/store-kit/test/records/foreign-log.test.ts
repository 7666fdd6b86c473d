import { ConversationState } from '@conv/core';
import { userMessage } from '@conv/core/events';
import { MemoryStore, type CommitRange, type JournalReader } from '@conv/core/store';
import { expect, test } from 'vitest';
import { foreignLog } from '../../src/index.ts';
import { withLost } from '../support/lost-commits.ts';

const [OWN, OTHER, FORK] = [1, 2, 3].map((digit) => `00000000-0000-4000-8000-00000000000${digit}`) as [
  string,
  string,
  string,
];

/** A conversation with this number of messages, and a fork of it with as many of its own. */
async function spoken(messages: number, snapshots: boolean): Promise<MemoryStore> {
  const store = new MemoryStore();
  const speak = async (id: string): Promise<void> => {
    const journal = await store.open(id, { owner: 'test' });
    if (!snapshots) journal.saveSnapshot = async () => {};
    const state = await ConversationState.open(journal, { id });
    for (let at = 0; at < messages; at++) await state.append([userMessage(`${at}`)]);
    await state.close();
  };
  await speak(OWN);
  await store.fork(OWN, FORK, { patch: { set: { id: FORK } } });
  await speak(FORK);
  return store;
}

/** Returns a reader that counts the commits that it yields. */
async function counting(store: MemoryStore, id: string): Promise<JournalReader & { read: number }> {
  const reader = (await store.read(id)) as JournalReader;
  const commits = reader.commits.bind(reader);
  const counted = Object.assign(reader, { read: 0 });
  counted.commits = async function* (range?: CommitRange) {
    for await (const commit of commits(range)) {
      counted.read++;
      yield commit;
    }
  };
  return counted;
}

test('P4: a foreign log is known by its first commit and by no commit that states the own id', async () => {
  const store = await spoken(40, true);
  expect(await foreignLog(await counting(store, OWN), OTHER)).toEqual({ id: OWN, isWhole: true });
  expect(await foreignLog(await counting(store, FORK), OTHER)).toEqual({ id: OWN, isWhole: true });
  expect(await foreignLog(await counting(store, OWN), FORK)).toEqual({ id: OWN, isWhole: true });
});

test('P12: the own log of a conversation costs one commit, and of a fork with a snapshot two', async () => {
  const store = await spoken(40, true);
  const [own, fork] = [await counting(store, OWN), await counting(store, FORK)];
  expect([await foreignLog(own, OWN), await foreignLog(fork, FORK)]).toEqual([undefined, undefined]);
  expect([own.read, fork.read]).toEqual([1, 2]);
});

test.each([0, 5, 40])(
  'P6: a fork without a snapshot is known by the commit that states its id, %i commits back',
  async (back) => {
    const store = await spoken(back, false);
    expect(await foreignLog(await counting(store, FORK), FORK)).toBeUndefined();
  },
);

test('P4: a lost commit leaves open whether it stated the id, and a lost first commit everything', async () => {
  const store = await spoken(5, false);
  const journal = await store.open(FORK, { owner: 'test' });
  const all = await Array.fromAsync(journal.commits());
  const at = all.findIndex(({ patch }) => patch?.set?.id === FORK);
  expect(await foreignLog(withLost(journal, new Set([at])), FORK)).toEqual({ id: OWN, isWhole: false });
  expect(await foreignLog(withLost(journal, new Set([0])), OTHER)).toBeUndefined();
});
