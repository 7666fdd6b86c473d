import {
  checks,
  type JsonObject,
  type MessageInput,
  type SendOptions,
  type SentMessage,
  type Transaction,
} from '@conv/core';
import { contentParts, userMessage, type EventDraft, type EventDraftOfKind } from '@conv/core/events';

const UUID = /^[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}$/;

/** Returns the draft of a user's message. Throws `INVALID_INPUT` for a message of another role, and for an id that is no UUID. */
export function toUserMessage(message: MessageInput, { sender, id }: SendOptions): EventDraftOfKind<'MessageEvent'> {
  if (id !== undefined && !(typeof id === 'string' && UUID.test(id)))
    throw checks.invalid(
      `sendMessage: id: expected a UUID in lower case, such as crypto.randomUUID(), found ${JSON.stringify(id)}`,
    );
  if (sender !== undefined && typeof sender !== 'string')
    throw checks.invalid(checks.wrongValue('sendMessage: sender', 'a text', sender));
  const extras = { ...(sender === undefined ? {} : { sender }), ...(id === undefined ? {} : { id }) };
  const draft = userMessage(checks.messageParts(message), extras);
  if (typeof message === 'string' || !('role' in message)) return draft;
  return { ...draft, llm_message: { ...draft.llm_message, ...message, content: contentParts(draft.llm_message) } };
}

/** Returns the place of the message with this id if it was sent before; else `undefined`. */
export async function alreadySent(transaction: Transaction, id: string | undefined): Promise<SentMessage | undefined> {
  if (id === undefined) return undefined;
  if (transaction.state.queue.some((message) => message.id === id)) return { id, queued: true };
  return (await transaction.has(id)) ? { id, queued: false } : undefined;
}

/**
 * Queues a message in the state until no call is open, because a message between a call and its result would break the view for
 * every provider.
 */
export function enqueue(transaction: Transaction, draft: EventDraft): string {
  transaction.validate(draft);
  const id = draft.id ?? transaction.newId();
  transaction.update({ add: { queue: [{ id, draft: draft as unknown as JsonObject }] } });
  return id;
}

/** Appends the queued messages, in order, once no call is open. */
export async function appendQueued(transaction: Transaction): Promise<void> {
  const { queue } = transaction.state;
  if (queue.length === 0 || transaction.openActions.length > 0) return;
  for (const { id, draft } of queue) await transaction.append({ ...(draft as unknown as EventDraft), id });
  transaction.update({ unset: ['queue'] });
}

/** True if the queue holds a user's message. Messages of hooks do not count. */
export function hasQueuedUserMessage({ state }: Transaction): boolean {
  return state.queue.some(({ draft }) => draft['source'] === 'user');
}
