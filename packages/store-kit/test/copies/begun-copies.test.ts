import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';

import { userMessage } from '@conv/core/events';
import {
  MemoryStore,
  type ConversationStore,
  type Journal,
  type JournalReader,
  type ListPage,
  type OpenOptions,
} from '@conv/core/store';
import { BaseStore, copyConversation } from '../../src/index.ts';
import { forCopy, isForCopy } from '../../src/copies/begun-copies.ts';
import { commitsOf, ID, spoken } from '../support/copied-stores.ts';

/** A store in memory that checks whose log it opens, as every adapter on {@link BaseStore} does. */
class CheckedStore extends BaseStore {
  readonly memory = new MemoryStore();
  readonly features: ConversationStore['features'] = this.memory.features;

  constructor() {
    super('checked memory');
  }

  protected acquire(id: string, options: OpenOptions): Promise<Journal> {
    return this.memory.open(id, options);
  }

  protected find(id: string): Promise<JournalReader | undefined> {
    return this.memory.read(id);
  }

  protected page(): Promise<ListPage> {
    return this.memory.list();
  }

  protected async forkFrom(): Promise<void> {
    throw new Error('nothing is forked here');
  }

  protected remove(id: string): Promise<void> {
    return this.memory.delete(id);
  }
}

/** A fork of five messages, which states its own id in its last commit alone. */
async function forked(): Promise<{ readonly store: MemoryStore; readonly fork: string; readonly length: number }> {
  const { store, state } = await spoken(5);
  const fork = randomUUID();
  await store.fork(ID, fork, { patch: { set: { id: fork } } });
  await state.close();
  return { store, fork, length: (await commitsOf(store, fork)).length };
}

/** Copies a conversation until the target got this number of commits. */
async function copyUpTo(count: number, id: string, from: ConversationStore, to: ConversationStore): Promise<void> {
  const stop = new AbortController();
  const onProgress = (done: number): void => void (done === count && stop.abort(new Error('stopped')));
  await expect(copyConversation(id, from, to, { onProgress, signal: stop.signal })).rejects.toThrow('stopped');
}

test("a stopped copy of a fork continues at any commit, although its log looks like its source's", async () => {
  const { store, fork, length } = await forked();
  expect(length).toBeGreaterThan(5);
  for (let count = 1; count < length; count++) {
    const target = new CheckedStore();
    await copyUpTo(count, fork, store, target);
    await expect(target.open(fork, { owner: 'a' })).rejects.toMatchObject({ code: 'CORRUPT' });
    await expect(target.read(fork)).rejects.toMatchObject({ code: 'CORRUPT' });
    expect(await copyConversation(fork, store, target)).toMatchObject({ found: count, written: length - count });
    expect((await commitsOf(target, fork)).map(({ id }) => id)).toEqual(
      (await commitsOf(store, fork)).map(({ id }) => id),
    );
    await (await target.open(fork, { owner: 'a' })).close();
  }
});

test('P3: a copy into the log of another conversation rejects EXISTS and appends nothing', async () => {
  const { store, fork } = await forked();
  const target = new CheckedStore();
  const other = await spoken(2);
  await other.state.append([userMessage('of another conversation')]);
  const journal = await target.memory.open(fork, { owner: 'misplaced' });
  const fields = other.state.fields;
  for (const { id, events, patch } of await commitsOf(other.store))
    await journal.append({ id, events, ...(patch && { patch }) }, fields);
  await journal.close();
  const before = await commitsOf(target.memory, fork);
  await expect(copyConversation(fork, store, target)).rejects.toMatchObject({ code: 'EXISTS' });
  expect(await commitsOf(target.memory, fork)).toEqual(before);
});

test('the very options of a copy are marked alone, so no other caller opens such a log', async () => {
  const { store, fork } = await forked();
  const target = new CheckedStore();
  await copyUpTo(2, fork, store, target);
  const options = forCopy({ owner: 'copy' });
  expect([isForCopy(options), isForCopy({ ...options }), isForCopy({ owner: 'copy' })]).toEqual([true, false, false]);
  await expect(target.open(fork, { ...options })).rejects.toMatchObject({ code: 'CORRUPT' });
  await (await target.open(fork, options)).close();
});
