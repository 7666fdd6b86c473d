import type { AddressInfo } from 'node:net';

import { systemPlatform as platform } from '@conv/core/platform';
import Fastify from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocketServer } from 'ws';

import { AccessKeys } from '../../src/auth/access-keys.ts';
import { registerSockets } from '../../src/sockets/register-sockets.ts';
import type { SocketHandler } from '../../src/sockets/socket-handler.ts';
import { TestSocket } from '../support/test-socket.ts';

const hello: SocketHandler = {
  path: '/sockets/hello',
  scope: 'none',
  accept: () => async (connection) => {
    connection.send(Buffer.from('{"said":"hello"}'));
    await connection.receive();
  },
};

/** Starts a server below `/agents`, next to another WebSocket server if one is given. */
async function startApp(others?: WebSocketServer): Promise<(path: string) => TestSocket> {
  const app = Fastify();
  const reported: unknown[] = [];
  await app.register(
    async (below) => {
      registerSockets(below, {
        platform,
        keys: new AccessKeys(),
        handlers: [hello],
        report: (error) => reported.push(error),
      });
    },
    { prefix: '/agents' },
  );
  if (others)
    app.server.on('upgrade', (request, socket, head) => {
      if (request.url === '/other')
        others.handleUpgrade(request, socket, head, (other) => other.send('{"said":"other"}'));
    });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  onTestFinished(async () => {
    await app.close();
    expect(reported).toEqual([]);
  });
  return (path) => {
    const socket = new TestSocket(`ws://127.0.0.1:${port}${path}`, { anything: true });
    onTestFinished(() => socket.terminate());
    return socket;
  };
}

test('sockets are served below the prefix of their instance, and other paths are refused', async () => {
  const open = await startApp();
  expect(await open('/agents/sockets/hello').until((frames) => frames.length === 1)).toEqual([{ said: 'hello' }]);
  expect(await open('/sockets/hello').refused).toBe(403);
  expect(await open('/agents/other').refused).toBe(403);
});

test('paths of other handlers are left to those handlers', async () => {
  const others = new WebSocketServer({ noServer: true });
  const open = await startApp(others);
  expect(await open('/other').until((frames) => frames.length === 1)).toEqual([{ said: 'other' }]);
  expect(await open('/agents/sockets/hello').until((frames) => frames.length === 1)).toEqual([{ said: 'hello' }]);
  expect(await open('/agents/sockets/unknown').refused).toBe(403);
});

test('a handler that is done closes its connection, and a handler that fails is reported', async () => {
  const failing: SocketHandler = {
    path: '/sockets/fails',
    scope: 'none',
    accept: () => async () => Promise.reject(new Error('no')),
  };
  const done: SocketHandler = { path: '/sockets/done', scope: 'none', accept: () => async () => {} };
  const app = Fastify();
  const reported: [unknown, string][] = [];
  const report = (error: unknown, path: string): void => void reported.push([error, path]);
  registerSockets(app, { platform, keys: new AccessKeys(), handlers: [failing, done], report });
  await app.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(() => app.close());
  const { port } = app.server.address() as AddressInfo;
  const [fails, ends] = ['fails', 'done'].map((path) => new TestSocket(`ws://127.0.0.1:${port}/sockets/${path}`));
  expect((await fails?.closed)?.code).toBe(1011);
  expect((await ends?.closed)?.code).toBe(1000);
  expect(reported).toEqual([[new Error('no'), '/sockets/fails']]);
});
