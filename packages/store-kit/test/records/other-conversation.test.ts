import { initialFields, ConversationState } from '@conv/core';
import { userMessage } from '@conv/core/events';
import { MemoryStore, type JournalReader } from '@conv/core/store';
import { expect, test } from 'vitest';
import { isOtherSnapshot, keptIn, keptText, settingsText } from '../../src/index.ts';
import { checkedText } from '../../src/system/index.ts';

const [OWN, OTHER, FORK] = [1, 2, 3].map((digit) => `00000000-0000-4000-8000-00000000000${digit}`) as [
  string,
  string,
  string,
];

test('P4: a copy of settings counts for its own conversation, and without a name for any', () => {
  const text = keptText(3, settingsText({ ...initialFields, maxIterations: 7 }, OWN));
  expect(keptIn(text, OWN)).toMatchObject([{ seq: 3, fields: { maxIterations: 7 } }]);
  expect(keptIn(text, OTHER)).toEqual([]);
  expect(keptIn(checkedText('3 {"maxIterations":7}'), OTHER)).toEqual([{ seq: 3, fields: { maxIterations: 7 } }]);
});

async function spoken(store: MemoryStore, id: string): Promise<void> {
  const state = await ConversationState.open(await store.open(id, { owner: 'test' }), { id });
  await state.append([userMessage('hello')]);
  await state.close();
}

async function reading(store: MemoryStore, id: string): Promise<JournalReader & { readonly id: string }> {
  return Object.assign((await store.read(id)) as JournalReader, { id });
}

test('P4: a snapshot is of its own conversation, or was taken over by a fork from its source', async () => {
  const store = new MemoryStore();
  for (const id of [OWN, OTHER]) await spoken(store, id);
  await store.fork(OWN, FORK, { patch: { set: { id: FORK } } });
  const [own, other, fork] = [await reading(store, OWN), await reading(store, OTHER), await reading(store, FORK)];
  const snapshot = await own.snapshot();
  if (!snapshot) throw new Error('closing a state saves a snapshot');
  expect(await isOtherSnapshot(own, snapshot)).toBe(false);
  expect(await isOtherSnapshot(other, snapshot)).toBe(true);
  expect(await isOtherSnapshot(fork, snapshot)).toBe(false);
  // after the commit of the fork the source is another conversation
  expect(await isOtherSnapshot(fork, { ...snapshot, seq: fork.end.seq })).toBe(true);
  expect(await isOtherSnapshot(other, { seq: snapshot.seq, data: { fields: {} } })).toBe(false);
});
