import { ConversationError, type Conversation } from '@conv/core';
import { eventStreamResponse, type SentEvent } from '@conv/turns';

import { checkOptions, type AgUiHandlerOptions } from './handler-options.ts';
import { refusal, wrongMethod } from './refusal.ts';
import { runRequest } from './run-input.ts';
import { runEvents, type FollowedRun } from './run-stream.ts';
import { newestTurn, takeMore, takeRun } from './take-run.ts';

/**
 * Returns a handler for the requests of AG-UI clients, from a web `Request` to a web `Response`:
 *
 * - `POST …` takes a `RunAgentInput` and streams the run. The ids of messages make a repeated request harmless: it streams what came of
 *   them, and runs nothing again.
 * - `GET …/{threadId}` streams the newest turn, and its run if one is active.
 * - `DELETE …/{threadId}` stops the run.
 *
 * The id of each event is a cursor: a client that comes back with it, in `Last-Event-ID` or as `after` in the URL, gets what is behind it.
 * A client that leaves stops no run. Calls that wait for a person are interrupts, and only an answer with their id lets them run.
 */
export function createAgUiHandler(options: AgUiHandlerOptions): (request: Request) => Promise<Response> {
  checkOptions(options);
  return async (request) => {
    try {
      return await answer(request, options);
    } catch (error) {
      return refusal(error);
    }
  };
}

async function answer(request: Request, options: AgUiHandlerOptions): Promise<Response> {
  if (request.method === 'POST') return run(request, options);
  if (request.method !== 'GET' && request.method !== 'DELETE') return wrongMethod(request.method);
  const threadId = threadOf(request);
  const conversation = await options.conversation(threadId, request);
  if (request.method === 'GET') return follow(threadId, conversation, request);
  await conversation.interrupt();
  return new Response(null, { status: 204 });
}

async function run(request: Request, options: AgUiHandlerOptions): Promise<Response> {
  const asked = await runRequest(request);
  const { threadId, runId } = asked.input;
  const conversation = await options.conversation(threadId, request, asked.input);
  const taken = await takeRun(conversation, asked, request, options);
  const more = () => takeMore(conversation, asked, options);
  return streamed(conversation, request, { ...taken, threadId, runId, request: asked, more });
}

async function follow(threadId: string, conversation: Conversation, request: Request): Promise<Response> {
  const turn = await newestTurn(conversation);
  const runId = new URL(request.url).searchParams.get('runId') ?? (turn.event || threadId);
  const following = { ...turn, threadId, runId, run: undefined, request: undefined, more: nothing };
  return streamed(conversation, request, following);
}

async function nothing(): Promise<undefined> {}

/** Clients that only follow are told the same from the same cursor, so it is made once for them. */
function streamed(conversation: Conversation, request: Request, given: Omit<FollowedRun, 'signal'>): Response {
  const after = cursorOf(request, conversation) ?? given.after;
  const events = async function* (signal: AbortSignal): AsyncGenerator<SentEvent> {
    for await (const { event, cursor } of runEvents(conversation, { ...given, after, signal }))
      yield { id: cursor, data: event };
  };
  const key = ['ag-ui', given.threadId, given.runId, given.event, after].join(' ');
  return eventStreamResponse(events, request.signal, {}, given.request ? undefined : { of: conversation, key });
}

/** Returns the cursor of a client; `undefined` if the log does not have it, so that the client gets the whole turn. */
function cursorOf(request: Request, { events }: Conversation): number | undefined {
  const { searchParams } = new URL(request.url);
  const id = request.headers.get('last-event-id') ?? searchParams.get('after') ?? '';
  const after = /^-?\d{1,15}$/.test(id) ? Number(id) : events.length;
  return after >= -1 && after < events.length ? after : undefined;
}

function threadOf(request: Request): string {
  const { pathname } = new URL(request.url);
  try {
    return decodeURIComponent(pathname.slice(pathname.lastIndexOf('/') + 1));
  } catch {
    throw new ConversationError('NOT_FOUND', `expected the id of a thread, found ${pathname}`);
  }
}
