import { checkOptionNames, type OptionNames } from '@conv/core';
import { eventStreamResponse, turnStart, untilRest, type FollowedConversation, type SentEvent } from '@conv/turns';

import { TurnChunks } from './turn-chunks.ts';
import type { NumberedChunk } from './ui-chunk.ts';

/** Options of a stream. */
export interface UiMessageStreamOptions {
  /** The cursor of the client, from the `id` of a server-sent event. Default: the message from its beginning. */
  readonly after?: number;
  /** The event of the user's message that is answered. Default: the newest message. */
  readonly message?: string;
  /** The run that the stream tells, which ends with it. Default: the stream ends when the conversation is at rest. */
  readonly run?: Promise<unknown> | undefined;
  /** Ends the stream, and nothing else. */
  readonly signal?: AbortSignal;
}

/**
 * Yields the chunks of the message that answers the newest message of the user, until the conversation has come to rest. A client that
 * comes back with a cursor gets the rest, a client without one the whole message under the same id.
 */
export async function* uiMessageChunks(
  conversation: FollowedConversation,
  { after, message, run, signal }: UiMessageStreamOptions = {},
): AsyncGenerator<NumberedChunk> {
  // turnStart checks the events of what is no conversation
  const { events } = Object(conversation) as FollowedConversation;
  const start = await turnStart(events);
  const from = after ?? start - 1;
  const chunks = new TurnChunks();
  let cursor = from;
  yield { chunk: { type: 'start', messageId: `answer-${message ?? (await events.idAt(start)) ?? 'nothing'}` }, cursor };
  for await (const change of untilRest(conversation, { after: from, run, signal })) {
    const told = chunks.take(change);
    // a client that stops before the last chunk of an event gets the event again, and so does a client that has not got held chunks
    const next = chunks.isHolding ? cursor : change.cursor;
    for (const [place, chunk] of told.entries()) yield { chunk, cursor: place === told.length - 1 ? next : cursor };
    cursor = next;
  }
  for (const chunk of chunks.end(conversation.state.executionStatus)) yield { chunk, cursor };
}

const NAMES: OptionNames<UiMessageStreamOptions> = { after: true, message: true, run: true, signal: true };

/** The version of the stream. */
const HEADERS: Readonly<Record<string, string>> = { 'x-vercel-ai-ui-message-stream': 'v1' };

/**
 * Returns the stream as a response: server-sent events whose `id` is the cursor. A client that disconnects ends the response and not
 * the run.
 */
export function toUIMessageStreamResponse(
  conversation: FollowedConversation,
  options: UiMessageStreamOptions = {},
): Response {
  checkOptionNames('toUIMessageStreamResponse', options, NAMES);
  const events = async function* (signal: AbortSignal): AsyncGenerator<SentEvent> {
    for await (const { chunk: data, cursor: id } of uiMessageChunks(conversation, { ...options, signal }))
      yield { id, data };
    yield { data: '[DONE]' };
  };
  return eventStreamResponse(events, options.signal, HEADERS);
}
