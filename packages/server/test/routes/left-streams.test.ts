import type { AddressInfo } from 'node:net';

import { systemPlatform, type Platform } from '@conv/core/platform';
import { ManualPlatform } from '@conv/testing-harness';
import Fastify, { type FastifyInstance } from 'fastify';
import { expect, onTestFinished, test } from 'vitest';

import { SessionTickets } from '../../src/auth/session-tickets.ts';
import { serveStreams } from '../../src/routes/serve-streams.ts';
import { FeedRegistry } from '../../src/sockets/feed-registry.ts';
import { startBench, type SocketBench } from '../support/socket-bench.ts';

/** Serves the streams of a bench. `prepare` gets the server before it listens. Resolves with the address of the stream of its conversation. */
async function served(
  { id }: SocketBench,
  {
    feeds,
    platform,
    prepare,
  }: {
    readonly feeds: FeedRegistry;
    readonly platform: Platform;
    readonly prepare: (app: FastifyInstance) => void;
  },
): Promise<string> {
  const app = Fastify({ pluginTimeout: 0 });
  onTestFinished(() => app.close());
  prepare(app);
  serveStreams(app, { platform, feeds, tickets: new SessionTickets(platform), knows: async () => true });
  await app.listen({ host: '127.0.0.1', port: 0 });
  return `http://127.0.0.1:${(app.server.address() as AddressInfo).port}/api/conversations/${id}/stream`;
}

test('a client that leaves while its stream opens leaves no feed and no timer behind', async () => {
  const bench = await startBench();
  const platform = new ManualPlatform();
  const [asked, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const [gone, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const feeds = new FeedRegistry(
    {
      report: (...given) => bench.host.report(...given),
      follow: async (id) => {
        asked.resolve();
        await goOn.promise;
        const { conversation, release } = await bench.host.follow(id);
        const leave = (): void => {
          release();
          released.resolve();
        };
        return { conversation, release: leave, [Symbol.dispose]: leave };
      },
    },
    platform,
  );
  const prepare = (app: FastifyInstance): void =>
    void app.addHook('onRequest', async (_, reply) => void reply.raw.once('close', () => gone.resolve()));
  const address = await served(bench, { feeds, platform, prepare });
  const client = new AbortController();
  const answer = fetch(address, { signal: client.signal });
  await asked.promise;
  client.abort();
  await expect(answer).rejects.toThrow('aborted');
  await gone.promise;
  goOn.resolve();
  await released.promise;
  expect(platform.waits).toEqual([]);
});

test.each(['while its stream opens', 'before the head of its answer is sent'])(
  'a stream whose conversation ends %s ends',
  async (when) => {
    const bench = await startBench();
    await bench.append('one');
    const platform = systemPlatform;
    const end = (): void => bench.host.loaded(bench.id)?.end(new Error('another server has it now'));
    const atOnce = when === 'while its stream opens';
    const feeds = new FeedRegistry(
      {
        report: (...given) => bench.host.report(...given),
        follow: async (id) => {
          const lease = await bench.host.follow(id);
          if (atOnce) end();
          return lease;
        },
      },
      platform,
    );
    let sent = 0;
    const prepare = (app: FastifyInstance): void =>
      void app.addHook('onSend', async () => {
        sent++;
        if (!atOnce) end();
      });
    const answer = await fetch(await served(bench, { feeds, platform, prepare }));
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
    expect(await answer.text()).toBe('');
    expect(sent).toBe(1);
  },
);

test('a client that comes after a conversation ended while its feed opened gets a new feed', async () => {
  const bench = await startBench();
  let followed = 0;
  const feeds = new FeedRegistry(
    {
      report: (...given) => bench.host.report(...given),
      follow: async (id) => {
        const lease = await bench.host.follow(id);
        if (followed++ === 0) bench.host.loaded(bench.id)?.end(new Error('another server has it now'));
        return lease;
      },
    },
    systemPlatform,
  );
  using first = await feeds.open(bench.id);
  using second = await feeds.open(bench.id);
  const { ended } = second.feed.conversation;
  expect([first.feed.conversation.ended.aborted, ended.aborted, followed]).toEqual([true, false, 2]);
});
