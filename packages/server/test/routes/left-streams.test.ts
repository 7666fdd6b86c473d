import type { AddressInfo } from 'node:net';

import { ManualPlatform } from '@conv/testing-harness';
import Fastify from 'fastify';
import { expect, onTestFinished, test } from 'vitest';

import { SessionTickets } from '../../src/auth/session-tickets.ts';
import { serveStreams } from '../../src/routes/serve-streams.ts';
import { FeedRegistry } from '../../src/sockets/feed-registry.ts';
import { startBench } from '../support/socket-bench.ts';

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
  const app = Fastify({ pluginTimeout: 0 });
  onTestFinished(() => app.close());
  app.addHook('onRequest', async (_, reply) => void reply.raw.once('close', () => gone.resolve()));
  serveStreams(app, { platform, feeds, tickets: new SessionTickets(platform), knows: async () => true });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const client = new AbortController();
  const { port } = app.server.address() as AddressInfo;
  const address = `http://127.0.0.1:${port}/api/conversations/${bench.id}/stream`;
  const answer = fetch(address, { signal: client.signal });
  await asked.promise;
  client.abort();
  await expect(answer).rejects.toThrow('aborted');
  await gone.promise;
  goOn.resolve();
  await released.promise;
  expect(platform.waits).toEqual([]);
});
