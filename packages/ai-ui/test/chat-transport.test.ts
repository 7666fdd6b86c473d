import { getEventListeners } from 'node:events';

import { expect, test } from 'vitest';

import { createChatTransport, type ResumingChatTransport } from '../src/index.ts';

interface Server {
  readonly transport: ResumingChatTransport;
  /** The methods of the requests so far. */
  readonly methods: readonly string[];
  /** Resolves when a stop has come. */
  readonly stopped: Promise<void>;
}

/** A transport whose requests are answered by a function; stops are accepted. */
function answeredBy(answer: () => Promise<Response>): Server {
  const methods: string[] = [];
  const stopped = Promise.withResolvers<void>();
  const transport = createChatTransport({
    fetch: async (_, { method = 'GET' } = {}) => {
      methods.push(method);
      if (method !== 'DELETE') return answer();
      stopped.resolve();
      return new Response(null, { status: 204 });
    },
  });
  return { transport, methods, stopped: stopped.promise };
}

const listeners = ({ signal }: AbortController): number => getEventListeners(signal, 'abort').length;
const open = (): Response => new Response(new ReadableStream());

test.each<readonly [string, (posted: PromiseWithResolvers<Response>) => void]>([
  ['answered', ({ resolve }) => resolve(open())],
  ['refused', ({ resolve }) => resolve(new Response('no', { status: 500 }))],
  ['lost', ({ reject }) => reject(new TypeError('fetch failed'))],
])('stop before the answer has begun ends the run once the request is %s', async (_, settle) => {
  const posted = Promise.withResolvers<Response>();
  const { transport, methods, stopped } = answeredBy(() => posted.promise);
  const stop = new AbortController();
  const sending = transport.sendMessages({ chatId: 'a', messages: [], abortSignal: stop.signal });
  stop.abort();
  await expect(sending).rejects.toMatchObject({ name: 'AbortError' });
  expect(methods).toEqual(['POST']);
  settle(posted);
  await stopped;
  expect([methods, listeners(stop)]).toEqual([['POST', 'DELETE'], 0]);
});

test('a chat that was stopped before it is sent is not sent', async () => {
  const { transport, methods } = answeredBy(async () => open());
  const sending = transport.sendMessages({ chatId: 'a', messages: [], abortSignal: AbortSignal.abort() });
  await expect(sending).rejects.toMatchObject({ name: 'AbortError' });
  expect(methods).toEqual([]);
});

test('a stream that fails, that is left or that is refused stops nothing later', async () => {
  const refused = new AbortController();
  const { transport } = answeredBy(async () => new Response('no', { status: 403 }));
  const sending = transport.sendMessages({ chatId: 'a', messages: [], abortSignal: refused.signal });
  await expect(sending).rejects.toThrow('found status 403');
  const nothing = new AbortController();
  const none = answeredBy(async () => new Response(null, { status: 204 })).transport;
  expect(await none.reconnectToStream({ chatId: 'a', abortSignal: nothing.signal })).toBeNull();
  const left = new AbortController();
  const finished = 'id: 1\ndata: {"type":"start"}\n\n';
  const stream = await answeredBy(async () => new Response(finished)).transport.sendMessages({
    chatId: 'a',
    messages: [],
    abortSignal: left.signal,
  });
  const reader = stream.getReader();
  await reader.read();
  const cancelled = reader.cancel();
  const failed = new AbortController();
  const broken = await answeredBy(async () => new Response('id: 1\ndata: {\n\n')).transport.sendMessages({
    chatId: 'a',
    messages: [],
    abortSignal: failed.signal,
  });
  failed.abort();
  await expect(broken.getReader().read()).rejects.toBeDefined();
  expect([refused, nothing, left, failed].map(listeners)).toEqual([0, 0, 0, 0]);
  void cancelled;
});
