import {
  checkOptionNames,
  checks,
  ConversationError,
  isConversationError,
  type Conversation,
  type OptionNames,
} from '@conv/core';
import { isObject, type Platform } from '@conv/core/platform';
import { refusalStatus, takeRequest, turnStart, type Decision } from '@conv/turns';

import { isMessage, sentMessages } from './sent-messages.ts';
import { followedResponse, toUIMessageStreamResponse } from './turn-stream.ts';
import type { UiChunk as UiPart } from './ui-chunk.ts';
import { toUIMessages } from './ui-messages.ts';

/** Options of {@link createChatHandler}. */
export interface ChatHandlerOptions {
  /**
   * Opens the conversation of a chat, for the sender of the request. The handler does not close it: runs go on without their
   * clients. Rejects `ConversationError` to refuse: `NOT_FOUND` is answered by 404, `DENIED` by 403. `begins` is true for a request that may
   * begin the chat: it has messages of the user alone.
   */
  readonly conversation: (
    chatId: string,
    request: Request,
    chat: { readonly begins: boolean },
  ) => Promise<Conversation>;
  /** True if the sender may approve and reject calls. Default: every sender may. */
  readonly mayApprove?: (request: Request) => boolean | Promise<boolean>;
  /** Receives errors of runs. Clients read them as items of the log. */
  readonly onError?: (error: unknown) => void;
  /** Gives the waits for another run that is beginning or ending. Default: the platform of the host. */
  readonly platform?: Platform;
}

const NAMES: OptionNames<ChatHandlerOptions> = { conversation: true, mayApprove: true, onError: true, platform: true };

/**
 * Returns a handler for the requests of `useChat`, from a web `Request` to a web `Response`:
 *
 * - `POST …` sends the messages of the user at the end that did not arrive before, or the decisions and outputs in the last message, and
 *   streams the answer. The ids of messages make a repeated request harmless: it streams what came of the last one, and runs nothing
 *   again. Only actions that a sender approved by name run. Regenerating an answer is refused, because the log keeps the answer.
 * - `GET …/{id}/stream` resumes the answer in progress: from the cursor in `Last-Event-ID`, or from its beginning. 204 if there is none.
 * - `DELETE …/{id}/stream` stops it.
 * - `GET …/{id}` answers with the messages so far.
 */
export function createChatHandler(options: ChatHandlerOptions): (request: Request) => Promise<Response> {
  checkOptionNames('createChatHandler', options, NAMES);
  if (typeof options.conversation !== 'function')
    throw new TypeError(
      checks.wrongValue('createChatHandler: conversation', 'a function that opens a chat', options.conversation),
    );
  return async (request) => {
    try {
      return await answer(request, options);
    } catch (error) {
      return refusal(error);
    }
  };
}

async function answer(request: Request, options: ChatHandlerOptions): Promise<Response> {
  if (request.method === 'POST') return send(request, options);
  const { pathname } = new URL(request.url);
  const [, id = '', isStream] = /\/([^/]+?)(\/stream)?$/.exec(pathname) ?? [];
  const chat = decoded(id);
  if (chat === undefined) return plain(404, `expected the id of a chat, found ${JSON.stringify(id)}`);
  const conversation = await options.conversation(chat, request, { begins: false });
  if (request.method === 'DELETE' && isStream) {
    await conversation.interrupt();
    return new Response(null, { status: 204 });
  }
  if (request.method !== 'GET') return plain(405, `expected GET, POST or DELETE, found ${request.method}`);
  if (!isStream) return Response.json(await toUIMessages(conversation));
  // a client with a cursor was cut off, and wants the end too
  const isOver = conversation.state.executionStatus !== 'running' && request.headers.get('last-event-id') === null;
  if (isOver) return new Response(null, { status: 204 });
  return follow(conversation, request);
}

/** Streams the answer to the newest message, once for all clients that follow it from the same cursor. */
async function follow(conversation: Conversation, request: Request): Promise<Response> {
  const { events } = conversation;
  const cursor = cursorOf(request, conversation);
  const message = (await events.idAt(await turnStart(events))) ?? '';
  return followedResponse(conversation, { ...cursor, signal: request.signal }, `${message} ${cursor.after ?? ''}`);
}

async function send(request: Request, options: ChatHandlerOptions): Promise<Response> {
  const body: unknown = await request.json().catch(() => undefined);
  const { id, messages, trigger } = Object(body) as Readonly<Record<string, unknown>>;
  const given: readonly unknown[] = Array.isArray(messages) ? messages : [];
  const message = given.at(-1);
  const said = given.slice(given.findLastIndex((each) => Object(each).role !== 'user') + 1);
  if (typeof id !== 'string' || !isMessage(message) || !said.every(isMessage))
    return plain(400, 'expected { id, messages } with a message of the user or of the assistant at the end');
  if (trigger === 'regenerate-message') return plain(400, NO_REGENERATION);
  const sent = await sentMessages(id, said);
  const conversation = await options.conversation(id, request, { begins: said.length === given.length });
  const { mayApprove = () => true, onError, platform } = options;
  const newest = sent.pop();
  const news = newest ? { ...newest, earlier: sent } : { decisions: decisionsIn(message.parts) };
  const { after, event, run } = await takeRequest(conversation, news, {
    mayApprove: () => mayApprove(request),
    onError,
    platform,
  });
  const answered = newest ? { message: event } : {};
  return toUIMessageStreamResponse(conversation, { after, ...answered, run, signal: request.signal });
}

const NO_REGENERATION =
  'expected the trigger submit-message, found regenerate-message: the log keeps the answer; send a message, or move HEAD with history.navigateTo';

/** Returns the decisions and outputs in a message, those of earlier requests too: a repeated one is answered from its result. */
function decisionsIn(parts: readonly UiPart[]): readonly Decision[] {
  return parts.flatMap((part): Decision[] => {
    const { toolCallId: actionId, state: progress, approval, output, errorText } = part;
    if (typeof actionId !== 'string') return [];
    if (progress === 'approval-responded' && isObject(approval)) {
      const { approved, reason } = approval;
      if (typeof approved !== 'boolean')
        throw new ConversationError(
          'INVALID_INPUT',
          `call ${actionId}: expected approval.approved to be true or false, found ${JSON.stringify(approved)}; nothing was decided`,
        );
      return [{ actionId, approved, reason: typeof reason === 'string' ? reason : undefined }];
    }
    const isError = progress === 'output-error';
    if (part['providerExecuted'] === true || (progress !== 'output-available' && !isError)) return [];
    const content = isError ? errorText : output;
    return [{ actionId, output: typeof content === 'string' ? content : JSON.stringify(content), isError }];
  });
}

/** Returns the cursor of a client; nothing if the log does not have it, so that the client gets the whole message. */
function cursorOf(request: Request, { events }: Conversation): { readonly after?: number } {
  const id = request.headers.get('last-event-id');
  const after = id !== null && /^-?\d{1,15}$/.test(id) ? Number(id) : undefined;
  return after !== undefined && after >= -1 && after < events.length ? { after } : {};
}

function refusal(error: unknown): Response {
  if (!isConversationError(error)) throw error;
  const { code, message } = error;
  // the place of a store is for the host alone
  const told = code === 'NOT_FOUND' ? 'expected the id of a chat of this server, found another one' : message;
  return plain(refusalStatus(error), told);
}

/** Returns a part of a path as text; `undefined` if it is not encoded as URLs are. */
function decoded(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}

function plain(status: number, text: string): Response {
  return new Response(text, { status, headers: { 'content-type': 'text/plain; charset=utf-8' } });
}
