import assert from 'node:assert/strict';
import { inspect } from 'node:util';

import type { Event } from '@conv/core/events';
import {
  type CommitRange,
  type ConversationStore,
  isStoreError,
  type JournalReader,
  type StoreErrorCode,
} from '@conv/core/store';
import { plainCommit } from './author.ts';

/** The commits of a range as plain values. */
export async function readPlain(reader: JournalReader, range?: CommitRange): Promise<readonly unknown[]> {
  const commits: unknown[] = [];
  for await (const commit of reader.commits(range)) commits.push(plainCommit(commit));
  return commits;
}

/** The commits of a conversation as plain values. */
export async function readStored(store: ConversationStore, id: string): Promise<readonly unknown[]> {
  const reader = await openReader(store, id);
  try {
    return await readPlain(reader);
  } finally {
    await reader.close();
  }
}

/** A reader of a conversation that is there. */
export async function openReader(store: ConversationStore, id: string): Promise<JournalReader> {
  const reader = await store.read(id);
  assert.ok(reader, `conversation ${id} is there to be read`);
  return reader;
}

/** Passes when `promise` rejects with a store error of this code. */
export async function rejectsWith(code: StoreErrorCode, what: string, promise: Promise<unknown>): Promise<Error> {
  const outcome = await promise.then(
    () => new Error('nothing: it resolved'),
    (error: unknown) => error,
  );
  assert.ok(isStoreError(outcome, code), `${what} rejects with ${code}, but did with ${inspect(outcome)}`);
  return outcome;
}

/** Runs an async iterable to its end. */
export async function drain(items: AsyncIterable<unknown>): Promise<void> {
  for await (const item of items) assert.ok(item !== undefined);
}

/** Events as JSON. */
export function plainEvents(events: readonly Event[]): unknown {
  return JSON.parse(JSON.stringify(events));
}
