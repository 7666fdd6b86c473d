import type { Conversation } from '@conv/core';
import { eventStreamResponse, itemEnd, turnBehind, untilRest, type TurnItem } from '@conv/turns';

import { outputItems, type OutputItem } from './output-items.ts';
import { responseBody, type Asked } from './response-body.ts';
import { ResponseEvents, type ResponseEvent } from './response-events.ts';

/** Numbers of events that come at one cursor. */
const PER_CURSOR = 1_000_000;

/** The stream of a response. */
export interface ResponseStream extends Asked {
  readonly event: string;
  readonly run?: Promise<unknown> | undefined;
  /** The number of the last event that the client has. Default: none. */
  readonly startingAfter?: number | undefined;
  readonly signal: AbortSignal;
}

/**
 * Returns the stream as a response. The number of an event holds the cursor of a client that has taken it, so a client that comes back
 * gets the rest from the log. An answer that was told in part comes again as a whole. It is made once for all clients that only follow
 * the same response from the same number.
 */
export function streamedResponse(conversation: Conversation, { signal, ...stream }: ResponseStream): Response {
  const { run, ...same } = stream;
  const key = `openai ${JSON.stringify(same)}`;
  const events = async function* (end: AbortSignal) {
    for await (const data of numberedEvents(conversation, { ...stream, signal: end })) yield { event: data.type, data };
  };
  return eventStreamResponse(events, signal, {}, run ? undefined : { of: conversation, key });
}

async function* numberedEvents(conversation: Conversation, stream: ResponseStream): AsyncGenerator<ResponseEvent> {
  const { event, startingAfter, signal } = stream;
  const turn = await turnBehind(conversation, event);
  const start = turn.after ?? conversation.events.length - 1;
  const known = startingAfter === undefined ? start : Math.max(start, Math.floor(startingAfter / PER_CURSOR) - 2);
  const next = turn.next === undefined ? undefined : await conversation.events.indexOf(turn.next);
  let cursor = Math.min(known, (next ?? conversation.events.length) - 1);
  let number = startingAfter ?? (cursor + 2) * PER_CURSOR - 1;
  const numbered = (given: ResponseEvent, next = cursor): ResponseEvent => {
    number = Math.max(number + 1, (next + 2) * PER_CURSOR);
    return { ...given, sequence_number: number };
  };
  if (startingAfter === undefined) {
    const body = await responseBody(conversation, event, stream);
    const response = { ...body, status: 'in_progress', output: [], error: null, usage: null };
    yield numbered({ type: 'response.created', response });
    yield numbered({ type: 'response.in_progress', response });
  }
  const tell = (item: TurnItem): readonly OutputItem[] => outputItems(item, conversation.state, start);
  // a call that waits is told again
  const before = turn.items.filter((item) => itemEnd(item) <= cursor).flatMap(tell);
  const events = new ResponseEvents(startingAfter === undefined ? 0 : before.length);
  const run = turn.next === undefined ? stream.run : undefined;
  for await (const change of untilRest(conversation, { after: cursor, event, run, signal })) {
    const told = events.take(change, tell);
    for (const [at, each] of told.entries()) yield numbered(each, at === told.length - 1 ? change.cursor : cursor);
    ({ cursor } = change);
  }
  for (const each of events.withdraw()) yield numbered(each);
  const response = await responseBody(conversation, event, stream);
  // nothing ended that has not begun: the client comes back
  if (response.status === 'in_progress' && response.output.length === 0) return;
  const end = response.status === 'failed' ? 'failed' : response.status === 'cancelled' ? 'incomplete' : 'completed';
  yield numbered({ type: `response.${end}`, response });
}
