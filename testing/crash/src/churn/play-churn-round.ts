import { randomUUID } from 'node:crypto';

import { ConversationState } from '@conv/core';
import { userMessage } from '@conv/core/events';
import { type ConversationStore, isStoreError } from '@conv/core/store';
import { watchIds } from '@conv/testing-harness';

/** Makes a conversation, opens it again, reads, watches, lists and forks it, and deletes both. Its first error is thrown. */
export async function playChurnRound(store: ConversationStore): Promise<void> {
  const [id, fork] = [randomUUID(), randomUUID()];
  const journal = await store.open(id, { owner: 'first' });
  try {
    const state = await ConversationState.open(journal, { id, createdAt: '2026-01-01T00:00:00.000Z' });
    await state.append([userMessage('hello')]);
    await journal.saveSnapshot({ seq: journal.end.seq, version: 1, data: {} });
  } finally {
    await journal.close();
  }
  await (await store.open(id, { owner: 'second', create: 'never' })).close();
  await read(store, id);
  await store.fork(id, fork, { patch: {} });
  await (await store.open(fork, { owner: 'third', create: 'never' })).close();
  await store.list({ limit: 2, total: true });
  await store.check(id);
  // what is refused gives back as much
  await expectRefusal(() => store.fork(id, fork, { patch: {} }));
  await expectRefusal(() => store.open(id, { owner: 'none', create: 'must' }));
  await store.delete(fork);
  await store.delete(id);
}

async function read(store: ConversationStore, id: string): Promise<void> {
  const reader = await store.read(id);
  if (!reader) throw new Error(`conversation ${id} is not there`);
  try {
    await Array.fromAsync(reader.commits());
    await reader.snapshot();
    await watchIds(reader, 1);
  } finally {
    await reader.close();
  }
}

async function expectRefusal(action: () => Promise<unknown>): Promise<void> {
  const made = await action().then(
    () => true,
    (error: unknown) => {
      if (!isStoreError(error, 'EXISTS')) throw error;
      return false;
    },
  );
  if (made) throw new Error('a conversation was made in the place of another one');
}
