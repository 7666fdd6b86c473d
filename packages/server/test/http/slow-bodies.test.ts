import { once } from 'node:events';
import { connect, type AddressInfo, type Socket } from 'node:net';

import { ManualPlatform } from '@conv/testing-harness';
import Fastify from 'fastify';
import { expect, onTestFinished, test } from 'vitest';

import { endSlowBodies } from '../../src/http/slow-bodies.ts';

/** A server whose time passes by hand, and a request whose body has not come whole. */
async function uploading(): Promise<{ socket: Socket; look: () => void }> {
  const platform = new ManualPlatform();
  const app = Fastify();
  endSlowBodies(app, platform);
  const begun = Promise.withResolvers<void>();
  app.addHook('onRequest', async () => begun.resolve());
  app.post('/', { bodyLimit: 10_000_000 }, async () => 'taken');
  await app.listen({ host: '127.0.0.1', port: 0 });
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
  onTestFinished(async () => {
    socket.destroy();
    await app.close();
  });
  socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\nContent-Length: 100000\r\n\r\n');
  await begun.promise;
  return { socket, look: () => platform.pass(15_000) };
}

test('a body that comes a byte at a time ends with its connection', async () => {
  const { socket, look } = await uploading();
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.on('error', () => {});
  socket.write('a');
  look();
  look();
  await closed;
});

test('a body that brings enough between two looks is waited for, however long it takes', async () => {
  const { socket, look } = await uploading();
  const answered = once(socket, 'data');
  for (let sent = 0; sent < 5; sent++) {
    await new Promise((resolve) => socket.write('a'.repeat(20_000), resolve));
    await new Promise(setImmediate);
    look();
  }
  const [answer] = (await answered) as [Buffer];
  expect(answer.toString()).toContain('200 OK');
});
