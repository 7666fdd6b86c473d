import { checkOptionNames, type OptionNames } from '@conv/core';
import { isEvent } from '@conv/core/events';
import {
  eventStreamResponse,
  numbered,
  turnStart,
  untilRest,
  type FollowedConversation,
  type SentEvent,
  type TurnChange,
} from '@conv/turns';

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
 * Yields the chunks of the message that answers a message of the user, until the conversation has come to rest. A client that comes back
 * with a cursor gets the rest, a client without one the whole message under the same id. The answer to a later message is left out
 * if that message was there at the beginning. So is everything in front of a message that waits for its turn.
 */
export async function* uiMessageChunks(
  conversation: FollowedConversation,
  { after, message, run, signal }: UiMessageStreamOptions = {},
): AsyncGenerator<NumberedChunk> {
  // turnStart checks the events of what is no conversation
  const { events } = Object(conversation) as FollowedConversation;
  const turn = await turnOf(events, after, message);
  const from = after ?? turn.from ?? events.length - 1;
  const chunks = new TurnChunks();
  const start = { type: 'start', messageId: `answer-${turn.message ?? 'nothing'}` };
  let cursor = from;
  let hasBegun = message === undefined || (turn.from !== undefined && turn.from <= from);
  let isOver = false;
  if (hasBegun) yield { chunk: start, cursor };
  for await (const change of untilRest(conversation, { after: from, run, signal })) {
    const said = saidIn(change);
    isOver = said !== undefined && said === turn.next;
    if (isOver) break;
    if (!hasBegun) {
      if (said !== message) continue;
      hasBegun = true;
      ({ cursor } = change);
      yield { chunk: start, cursor };
    }
    const told = chunks.take(change);
    // a client that stops before the last chunk of an event gets the event again, and so does a client that has not got held chunks
    const next = chunks.isHolding ? cursor : change.cursor;
    for (const [place, chunk] of told.entries()) yield { chunk, cursor: place === told.length - 1 ? next : cursor };
    cursor = next;
  }
  if (!hasBegun) yield { chunk: start, cursor };
  for (const chunk of chunks.end(isOver ? 'finished' : conversation.state.executionStatus)) yield { chunk, cursor };
}

/** A message of the user that is answered. */
interface AnsweredMessage {
  /** The number of its event; `undefined` for a message that waits for its turn, -1 if the user has said nothing. */
  readonly from: number | undefined;
  /** Its id; that of the first event if the user has said nothing. */
  readonly message: string | undefined;
  /** The id of the next message of the user; `undefined` if there is none yet. */
  readonly next: string | undefined;
}

/** Resolves with the message that is answered: the named one, the last one before a cursor, or the newest. */
async function turnOf(
  events: FollowedConversation['events'],
  after: number | undefined,
  message: string | undefined,
): Promise<AnsweredMessage> {
  const start = await turnStart(events, message === undefined && after !== undefined ? after + 1 : undefined);
  const from = message === undefined ? start : await events.indexOf(message);
  if (from === undefined) return { from, message, next: undefined };
  const told = await numbered(events, from, events.length);
  const [own, next] = told.filter(({ event }) => isEvent(event, 'MessageEvent') && event.source === 'user');
  if (own?.index !== from) return { from: -1, message: message ?? (await events.idAt(from)), next: undefined };
  return { from, message: own.event.id, next: next?.event.id };
}

/** Returns the id of the user's message that a change tells. */
function saidIn(change: TurnChange): string | undefined {
  if (change.type !== 'item' || change.item.kind !== 'message' || change.item.from !== 'user') return undefined;
  return change.item.id;
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
  return followedResponse(conversation, options);
}

/** Returns the stream as a response. Clients with the same `shared` key are told the same, so it is made once for them. */
export function followedResponse(
  conversation: FollowedConversation,
  options: UiMessageStreamOptions,
  shared?: string,
): Response {
  const events = async function* (signal: AbortSignal): AsyncGenerator<SentEvent> {
    for await (const { chunk: data, cursor: id } of uiMessageChunks(conversation, { ...options, signal }))
      yield { id, data };
    yield { data: '[DONE]' };
  };
  const sharing = shared === undefined ? undefined : { of: conversation, key: `ai-ui ${shared}` };
  return eventStreamResponse(events, options.signal, HEADERS, sharing);
}
