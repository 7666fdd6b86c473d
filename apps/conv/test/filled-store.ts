import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';

import { initialFields } from '@conv/core';
import { createClock, stampEvent, userMessage } from '@conv/core/events';
import type { ConversationStore, Journal } from '@conv/core/store';

const clock = createClock();

/** Writes a conversation of so many messages and closes it. Resolves with its id. */
export async function written(store: ConversationStore, messages: number, title = 'filled'): Promise<string> {
  const id = randomUUID();
  const journal = await store.open(id, { create: 'must', owner: 'test' });
  const fields = { ...initialFields, id, title, createdAt: new Date().toISOString() };
  await journal.append({ id: randomUUID(), events: [], patch: { set: fields } }, fields);
  let after = fields;
  for (let at = 0; at < messages; at++) after = { ...after, ...(await say(journal, after, `message ${at}`)) };
  await journal.close();
  return id;
}

/** Appends one message. Resolves with what it changes in the state. */
export async function say(
  journal: Journal,
  after: typeof initialFields,
  text: string,
): Promise<Pick<typeof initialFields, 'leafEventId' | 'lastUserMessageId'>> {
  const parent = after.leafEventId === null ? {} : { parent_id: after.leafEventId };
  const event = { ...stampEvent(userMessage(text), { id: randomUUID(), timestamp: clock.next() }), ...parent };
  const changed = { leafEventId: event.id, lastUserMessageId: event.id };
  await journal.append({ id: randomUUID(), events: [event] }, { ...after, ...changed });
  return changed;
}

/** Milliseconds between two messages of `keepSaying`. */
const PACE = 20;

/**
 * Appends a message now and again until the returned function is called, which resolves when the last one is written. Without a
 * pace a fast store would hold more, when a program has started on a busy machine, than a slow store takes in a minute.
 */
export function keepSaying(journal: Journal, fields: typeof initialFields): () => Promise<void> {
  const stopped = new AbortController();
  let after = fields;
  const writing = (async () => {
    while (!stopped.signal.aborted) {
      after = { ...after, ...(await say(journal, after, 'meanwhile')) };
      await delay(PACE);
    }
  })();
  return () => {
    stopped.abort();
    return writing;
  };
}

/** The ids of the commits of a conversation, in order. */
export async function commitIds(store: ConversationStore, id: string): Promise<readonly string[]> {
  const reader = await store.read(id);
  if (!reader) throw new Error(`${id} is not there`);
  const commits = await Array.fromAsync(reader.commits());
  await reader.close();
  return commits.map((commit) => commit.id);
}
