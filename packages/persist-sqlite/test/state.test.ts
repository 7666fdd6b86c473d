import { randomUUID } from 'node:crypto';
import { ConversationState, initialFields } from '@conv/core';
import { userMessage } from '@conv/core/events';
import { expect, test } from 'vitest';
import { freshStore } from './fresh-folder.ts';

test('P6: the state of a conversation is the same in another store, and so is that of its fork', async () => {
  const first = await freshStore();
  const [id, forkId] = [randomUUID(), randomUUID()];
  const state = await ConversationState.open(await first.open(id, { owner: 'a' }), { ...initialFields, id });
  await state.append([userMessage('hello')]);
  await state.update({
    set: { title: 'a title', confirmationPolicy: { kind: 'AlwaysConfirm' } },
    add: { tags: { a: '1' } },
  });
  await first.fork(id, forkId, { patch: { set: { id: forkId, title: 'the fork' } } });
  const { title, tags, confirmationPolicy, leafEventId } = state;
  await first.close();
  const second = await freshStore({ file: first.file });
  const again = await ConversationState.open(await second.open(id, { owner: 'b' }));
  expect({ ...pick(again) }).toEqual({ title, tags, confirmationPolicy, leafEventId });
  const fork = await ConversationState.open(await second.open(forkId, { owner: 'b' }));
  expect(pick(fork)).toEqual({ title: 'the fork', tags, confirmationPolicy, leafEventId });
  expect(await fork.conversationHistory()).toEqual(await again.conversationHistory());

  function pick(from: ConversationState): object {
    return {
      title: from.title,
      tags: from.tags,
      confirmationPolicy: from.confirmationPolicy,
      leafEventId: from.leafEventId,
    };
  }
});
