import { checkOptionNames, type OptionNames } from '@conv/core';
import { turns, turnStart, type FollowedConversation, type TurnChange } from '@conv/turns';

import { TurnChunks } from './turn-chunks.ts';
import type { NumberedChunk } from './ui-chunk.ts';

/** Options of a stream. */
export interface UiMessageStreamOptions {
  /** The cursor of the client, from the `id` of a server-sent event. Default: the message from its beginning. */
  readonly after?: number;
  /** The event of the user's message that is answered. Default: the newest message. */
  readonly message?: string;
  /** The run that the stream tells, which ends with it. Default: the stream ends when the conversation is at rest. */
  readonly run?: Promise<unknown>;
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
  const numbered = function* (change: TurnChange): Generator<NumberedChunk> {
    const told = chunks.take(change);
    // a client that stops before the last chunk of an event gets the event again, and so does a client that has not got held chunks
    const next = chunks.isHolding ? cursor : change.cursor;
    for (const [place, chunk] of told.entries()) yield { chunk, cursor: place === told.length - 1 ? next : cursor };
    cursor = next;
  };
  yield { chunk: { type: 'start', messageId: `answer-${message ?? (await events.idAt(start)) ?? 'nothing'}` }, cursor };
  const over = new AbortController();
  const end = (): void => over.abort();
  void run?.then(end, end);
  const live = turns(conversation, { after: from, signal: AbortSignal.any([over.signal, signal ?? over.signal]) });
  try {
    for await (const change of live) {
      yield* numbered(change);
      if (!run && change.type === 'state' && change.status !== 'running') break;
    }
  } catch (error) {
    signal?.throwIfAborted();
    if (!over.signal.aborted) throw error;
  }
  // the run may have ended before its last events were told
  for await (const change of turns(conversation, { after: cursor, ...(signal ? { signal } : {}) })) {
    yield* numbered(change);
    if (change.type === 'state') break;
  }
  for (const chunk of chunks.end(conversation.state.executionStatus)) yield { chunk, cursor };
}

const NAMES: OptionNames<UiMessageStreamOptions> = { after: true, message: true, run: true, signal: true };

/** Headers of a UI message stream. */
const HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-vercel-ai-ui-message-stream': 'v1',
  'x-accel-buffering': 'no',
};

/**
 * Returns the stream as a response: server-sent events whose `id` is the cursor. A client that disconnects ends the response and not
 * the run.
 */
export function toUIMessageStreamResponse(
  conversation: FollowedConversation,
  options: UiMessageStreamOptions = {},
): Response {
  checkOptionNames('toUIMessageStreamResponse', options, NAMES);
  const left = new AbortController();
  const signal = AbortSignal.any([left.signal, ...(options.signal ? [options.signal] : [])]);
  const chunks = uiMessageChunks(conversation, { ...options, signal });
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      try {
        const { done, value } = await chunks.next();
        if (done === true) {
          controller.enqueue(encoder.encode('data: [DONE]\n\n'));
          controller.close();
        } else controller.enqueue(encoder.encode(`id: ${value.cursor}\ndata: ${JSON.stringify(value.chunk)}\n\n`));
      } catch (error) {
        if (!left.signal.aborted) controller.error(error);
      }
    },
    cancel: async () => {
      left.abort();
      // an iteration that is left unread keeps its subscription
      await chunks.return(undefined).catch(() => {});
    },
  });
  return new Response(body, { headers: HEADERS });
}
