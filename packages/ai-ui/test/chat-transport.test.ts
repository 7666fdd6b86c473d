import { getEventListeners } from 'node:events';

import { systemPlatform, type Platform } from '@conv/core/platform';
import { ManualPlatform } from '@conv/testing-harness';
import { expect, test } from 'vitest';

import { createChatTransport, type ResumingChatTransport } from '../src/index.ts';

interface Server {
  readonly transport: ResumingChatTransport;
  /** The methods of the requests so far. */
  readonly methods: readonly string[];
  /** Resolves when a stop has come. */
  readonly stopped: Promise<void>;
}

/** A transport whose requests are answered by a function; stops are accepted. Its waits end as `platform` says. */
function answeredBy(answer: () => Promise<Response>, platform: Platform = systemPlatform): Server {
  const methods: string[] = [];
  const stopped = Promise.withResolvers<void>();
  const transport = createChatTransport({
    platform,
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

const ANSWER = 'id: 1\ndata: {"type":"start"}\n\n';

test('a stream that ends, fails, is left or is refused stops nothing later', async () => {
  const signals = Array.from({ length: 5 }, () => new AbortController());
  const sendingOf = (at: number): Parameters<ResumingChatTransport['sendMessages']>[0] => {
    return { chatId: 'a', messages: [], abortSignal: (signals[at] as AbortController).signal };
  };
  const refusing = answeredBy(async () => new Response('no', { status: 403 })).transport;
  await expect(refusing.sendMessages(sendingOf(0))).rejects.toThrow('found status 403');
  const empty = answeredBy(async () => new Response(null, { status: 204 })).transport;
  expect(await empty.reconnectToStream(sendingOf(1))).toBeNull();
  const whole = answeredBy(async () => new Response(`${ANSWER}id: 1\ndata: {"type":"finish"}\n\n`)).transport;
  expect(await Array.fromAsync(await whole.sendMessages(sendingOf(2)))).toHaveLength(2);
  const left = await answeredBy(async () => new Response(ANSWER)).transport.sendMessages(sendingOf(3));
  const reader = left.getReader();
  await reader.read();
  void reader.cancel();
  const platform = new ManualPlatform();
  const answers = [new Response(ANSWER), new Response('gone', { status: 404 })];
  const failing = answeredBy(async () => answers.shift() as Response, platform).transport;
  const read = Array.fromAsync(await failing.sendMessages(sendingOf(4)));
  await platform.untilWaiting(75);
  platform.pass(75);
  await expect(read).rejects.toThrow('found status 404');
  expect(signals.map(listeners)).toEqual([0, 0, 0, 0, 0]);
});
