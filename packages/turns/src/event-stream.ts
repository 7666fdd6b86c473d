import type { JsonObject } from '@conv/core';

import { checkIteration } from './check-arguments.ts';
import { OwnFrames } from './own-frames.ts';
import { framedResponse, type ResponseFrames } from './response-frames.ts';
import { encoded, endOf, frameOf, type SentEvent } from './sent-event.ts';
import { SharedFrames } from './shared-frames.ts';

/** Clients that get the same events. */
export interface SharedEvents {
  /** The conversation. */
  readonly of: object;
  /** Everything that the events follow from beside the conversation, with the name of the protocol. */
  readonly key: string;
  /** A text in front of the data of each event, which is that of one client. Events that have it have neither a name nor an id. Default: none. */
  readonly before?: string | undefined;
}

/** The way in which {@link begunStreamResponse} tells an iteration. */
export interface BegunStream {
  /**
   * Members of each value, which is an object then, that are those of this client alone, such as the id of its request. At least one; they stand first where
   * the rest is shared. Default: none.
   */
  readonly own?: JsonObject;
  /** The clients that are told the same but for these members, with the signal that ends the response of this client. Default: it is told alone. */
  readonly shared?: (SharedEvents & { readonly signal: AbortSignal }) | undefined;
}

/** Headers of a stream. */
const HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
};

/**
 * Returns server-sent events as a response, read at the pace of the client. A client that leaves ends the events, and not the run.
 * @param events returns the events, which end when the signal is aborted
 * @param signal ends the events too; shared events go on for other clients
 * @param shared makes the events once for all clients with the same conversation and key. A client that comes later gets all of them, too.
 * A client that reads much more slowly than the others is disconnected. Default: the events are made for this client alone
 */
export function eventStreamResponse(
  events: (signal: AbortSignal) => AsyncGenerator<SentEvent>,
  signal?: AbortSignal,
  headers: Readonly<Record<string, string>> = {},
  shared?: SharedEvents,
): Response {
  const frames = shared ? sharedFrames(events, signal, shared) : new OwnFrames(events, signal);
  return framedResponse(frames, { ...HEADERS, ...headers });
}

function sharedFrames(
  events: (signal: AbortSignal) => AsyncGenerator<SentEvent>,
  signal: AbortSignal | undefined,
  { of, key, before }: SharedEvents,
): ResponseFrames {
  const isWhole = before === undefined;
  const frames = SharedFrames.of(of, key, async function* (left) {
    for await (const event of events(left)) yield isWhole ? frameOf(event) : encoded(endOf(event));
  });
  return frames.enter(signal, isWhole ? undefined : encoded(`data: ${before}`));
}

/**
 * Resolves with a response of server-sent events once an iteration has yielded its first one. Rejects with an error that comes before it,
 * so that the caller can answer, and `INVALID_INPUT` for anything but an iteration. A later error ends the connection. If the client shares
 * the events of another client, the iteration is returned.
 * @param left is aborted when the last client has left
 * @param telling returns, when there is the first, how it is told
 */
export async function begunStreamResponse(
  iteration: AsyncGenerator<unknown>,
  left: AbortController,
  telling: () => BegunStream = () => ({}),
): Promise<Response> {
  checkIteration('begunStreamResponse', iteration);
  const first = await iteration.next();
  const { own, shared } = telling();
  const before = own && JSON.stringify(own).slice(0, -1);
  const dataOf = (value: unknown): unknown => (own && shared ? restOf(value, own) : value);
  let isSent = false;
  const events = (over: AbortSignal): AsyncGenerator<SentEvent> => {
    isSent = true;
    over.addEventListener('abort', () => left.abort(), { once: true });
    return sentEvents(first, iteration, dataOf);
  };
  const response = eventStreamResponse(events, shared?.signal, {}, shared && { ...shared, before });
  if (!isSent) await iteration.return(undefined);
  return response;
}

/** Returns the JSON of a value behind its members that are those of one client. */
function restOf(value: unknown, own: JsonObject): string {
  const others = Object.entries(Object(value) as object).filter(([name]) => !(name in own));
  return others.length === 0 ? '}' : `,${JSON.stringify(Object.fromEntries(others)).slice(1)}`;
}

async function* sentEvents(
  first: IteratorResult<unknown>,
  rest: AsyncGenerator<unknown>,
  dataOf: (value: unknown) => unknown,
): AsyncGenerator<SentEvent> {
  try {
    for (let next = first; next.done !== true; next = await rest.next()) yield { data: dataOf(next.value) };
  } finally {
    await rest.return(undefined);
  }
}
