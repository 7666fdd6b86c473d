import { expect, test } from 'vitest';

import { ConversationState, foldJournal } from '../../src/index.ts';
import { userMessage } from '../../src/events/index.ts';
import { MemoryStore, type Journal } from '../../src/store/index.ts';

const ID = '11111111-1111-4111-8111-111111111111';

/** A journal that counts how often it is read. */
function counted(inner: Journal): { journal: Journal; reads: () => number } {
  let reads = 0;
  const journal = new Proxy(inner, {
    get: (target, key) => {
      if (key === 'commits') reads++;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
  return { journal, reads: () => reads };
}

test('P7: HEAD moves to a branch that was read, and back, without reading anything while the lock is held', async () => {
  const { journal, reads } = counted(await new MemoryStore().open(ID, { owner: 'test' }));
  const state = await ConversationState.open(journal, { id: ID });
  for (let number = 0; number < 20; number++) await state.append([userMessage(String(number))]);
  const end = state.leafEventId;
  const middle = (await state.events.idAt(9)) ?? null;
  await state.readBranch(middle);
  const before = reads();
  for (const leaf of [middle, end, middle]) await state.transaction((transaction) => transaction.moveHead(leaf));
  expect(reads()).toBe(before);
  const folded = await foldJournal(journal);
  expect(folded.fields).toEqual(state.fields);
  expect(folded.fields.leafEventId).toBe(middle);
});

test('reading the branch of an event that is not there does nothing, and moving there is refused', async () => {
  const state = new ConversationState();
  await state.append([userMessage('x')]);
  await state.readBranch('unknown');
  await expect(state.transaction((transaction) => transaction.moveHead('unknown'))).rejects.toMatchObject({
    code: 'UNKNOWN_EVENT',
  });
});
