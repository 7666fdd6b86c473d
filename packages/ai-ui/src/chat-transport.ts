import { checkOptionNames, type OptionNames } from '@conv/core';
import { Backoff, systemPlatform, type Platform } from '@conv/core/platform';

import type { UiChunk } from './ui-chunk.ts';

/** Options of {@link createChatTransport}. */
export interface ChatTransportOptions {
  /** The address of the handler. Default `/api/chat`. */
  readonly api?: string;
  /** Headers of every request. Default: none. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: the `fetch` of the host. */
  readonly fetch?: typeof fetch;
  /** Gives the waits between attempts. Default: the platform of the host. */
  readonly platform?: Platform;
}

const NAMES: OptionNames<ChatTransportOptions> = { api: true, headers: true, fetch: true, platform: true };

/** A request of a chat, as the AI SDK gives it to transports. */
export interface ChatSending {
  readonly chatId: string;
  readonly abortSignal?: AbortSignal | undefined;
  readonly headers?: Headers | Readonly<Record<string, string>> | undefined;
  readonly body?: object | undefined;
  readonly trigger?: string;
  readonly messageId?: string | undefined;
}

/** A `ChatTransport` of the AI SDK. */
export interface ResumingChatTransport {
  /** True: a stream without a cursor brings the whole message again. */
  readonly resumeStreamIsReplay: true;
  /** Sends the newest message, and resolves with the chunks of its answer. Rejects for a request that the handler refuses. */
  sendMessages(options: ChatSending & { readonly messages: readonly object[] }): Promise<ReadableStream<never>>;
  /** Resolves with the chunks of the answer in progress; null if there is none. */
  reconnectToStream(options: ChatSending): Promise<ReadableStream<never> | null>;
}

/**
 * Creates a transport for `useChat` that survives lost connections and restarts of the server: it comes back with its cursor, and takes back
 * what came of an answer in progress. Without a cursor yet it sends its request again. `stop` of the chat stops the run on the server too, also before the answer has begun; a page that is
 * closed does not.
 */
export function createChatTransport(options: ChatTransportOptions = {}): ResumingChatTransport {
  checkOptionNames('createChatTransport', options, NAMES);
  const { api = '/api/chat', fetch: ask = (...given) => fetch(...given), platform = systemPlatform } = options;
  const streamOf = (id: string): string => `${api}/${encodeURIComponent(id)}/stream`;
  const call = (url: string, init: RequestInit, given: ChatSending['headers']): Promise<Response> => {
    const headers = new Headers(options.headers);
    for (const more of [given, init.headers]) for (const [name, value] of new Headers(more)) headers.set(name, value);
    return ask(url, { ...init, headers });
  };
  /** Asks for a stream. Stopping sends DELETE when the request has settled, because the request may begin the run that is to stop. */
  const asked = async (
    { chatId, abortSignal, headers }: ChatSending,
    url: string,
    init: RequestInit,
  ): Promise<Asked> => {
    abortSignal?.throwIfAborted();
    const [cut, stopped] = [new AbortController(), Promise.withResolvers<never>()];
    stopped.promise.catch(ignore);
    const answering = call(url, { ...init, signal: cut.signal }, headers);
    const stop = async (): Promise<void> => {
      stopped.reject(abortSignal?.reason);
      await answering.catch(ignore);
      cut.abort(abortSignal?.reason);
      await call(streamOf(chatId), { method: 'DELETE' }, headers).catch(ignore);
    };
    const listener = (): void => void stop();
    abortSignal?.addEventListener('abort', listener, { once: true });
    const leave = (): void => abortSignal?.removeEventListener('abort', listener);
    try {
      return { response: await Promise.race([accepted(answering), stopped.promise]), leave };
    } catch (error) {
      leave();
      throw error;
    }
  };
  const follow = (
    { response, leave }: Asked,
    { chatId, abortSignal, headers }: ChatSending,
    [url, init]: readonly [string, RequestInit],
  ): ReadableStream<never> => {
    const signal = abortSignal ?? null;
    const again = (cursor: number | undefined): Promise<Response> =>
      cursor === undefined
        ? call(url, { ...init, signal }, headers)
        : call(streamOf(chatId), { headers: { 'last-event-id': `${cursor}` }, signal }, headers);
    const chunks = resumed(response, again, new Backoff(platform, { first: 100, most: 5000 }), abortSignal);
    return new ReadableStream<UiChunk>({
      pull: async (controller) => {
        try {
          const { done, value } = await chunks.next();
          if (done !== true) return controller.enqueue(value);
        } catch (error) {
          leave();
          throw error;
        }
        leave();
        controller.close();
      },
      cancel: async () => {
        leave();
        await chunks.return(undefined);
      },
    }) as ReadableStream<never>;
  };
  return {
    resumeStreamIsReplay: true,
    sendMessages: async (sending) => {
      const { chatId: id, messages, trigger, messageId, body } = sending;
      const sent = JSON.stringify({ ...body, id, messages, trigger, messageId });
      const init = { method: 'POST', body: sent, headers: { 'content-type': 'application/json' } };
      // the id of the message makes a repetition harmless
      return follow(await asked(sending, api, init), sending, [api, init]);
    },
    reconnectToStream: async (sending) => {
      const url = streamOf(sending.chatId);
      const opened = await asked(sending, url, {});
      // a cursor that no log has brings the whole message, also when it has ended meanwhile
      if (opened.response.status !== 204)
        return follow(opened, sending, [url, { headers: { 'last-event-id': 'none' } }]);
      opened.leave();
      return null;
    },
  };
}

/** An open stream of a chat. */
interface Asked {
  readonly response: Response;
  /** Lets the signal of the chat stop nothing any more. */
  readonly leave: () => void;
}

function ignore(): void {}

/**
 * Yields the chunks of a stream up to its end, over as many connections as it takes. `again` without a cursor asks for its beginning, until
 * something has come of the request: a server may have ended before the run that it was to begin.
 */
async function* resumed(
  first: Response,
  again: (cursor: number | undefined) => Promise<Response>,
  delays: Backoff,
  signal: AbortSignal | undefined,
): AsyncGenerator<UiChunk> {
  let beginning: number | undefined;
  let cursor: number | undefined;
  let isInStep = false;
  for (let response: Response | undefined = first; ;) {
    try {
      for await (const { chunk, id } of response ? sentChunks(response) : []) {
        delays.reset();
        const hasBegun = beginning !== undefined;
        beginning ??= id;
        if (id > beginning) cursor = id;
        // the message goes on under its id
        if (hasBegun && chunk.type === 'start') continue;
        if (chunk.type === 'start-step') isInStep = true;
        if (chunk.type === 'finish-step') isInStep = false;
        yield chunk;
        if (chunk.type === 'finish') return;
      }
    } catch {
      // the connection was lost
    }
    signal?.throwIfAborted();
    if (isInStep) yield { type: 'reset-step' };
    isInStep = false;
    await delays.wait(signal ? { signal } : {});
    response = await again(cursor).then(
      (answer) => (answer.status >= 500 ? undefined : accepted(answer)),
      () => undefined,
    );
  }
}

/** Yields the chunks of a response with their cursors. */
async function* sentChunks({ body }: Response): AsyncGenerator<{ readonly chunk: UiChunk; readonly id: number }> {
  const reader = body?.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true };
    const blocks = (rest + decoder.decode(value, { stream: true })).split('\n\n');
    rest = blocks.pop() as string;
    for (const block of blocks) {
      const [, id, data] = /^id: (-?\d+)\ndata: (.*)$/s.exec(block) ?? [];
      if (data !== undefined) yield { chunk: JSON.parse(data) as UiChunk, id: Number(id) };
    }
    if (done) return;
  }
}

async function accepted(answering: Response | Promise<Response>): Promise<Response> {
  const answer = await answering;
  if (answer.ok) return answer;
  throw new Error(`expected a stream, found status ${answer.status}: ${await answer.text()}`);
}
