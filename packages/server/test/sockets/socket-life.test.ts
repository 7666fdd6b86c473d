import { createConnection } from 'node:net';

import { ManualPlatform } from '@conv/testing-harness';
import { expect, test } from 'vitest';
import type { WebSocket } from 'ws';

import { startBench, type SocketBench } from '../support/socket-bench.ts';
import { isState, textsOf, type TestSocket } from '../support/test-socket.ts';

const joined = (socket: TestSocket): Promise<unknown> => socket.find((frame) => isState(frame, 'full_state'));

/** Resolves when the server has handled everything that this client sent before. */
async function roundTrip(socket: TestSocket): Promise<void> {
  const isError = ({ type }: { type?: unknown }): boolean => type === 'error';
  const before = socket.frames.filter(isError).length;
  socket.send('?');
  await socket.until((frames) => frames.filter(isError).length > before);
}

test('a peer that misses two pings is given up, and a peer that answers is not', async () => {
  const platform = new ManualPlatform();
  const bench = await startBench({ platform });
  const silent = bench.session(undefined, { autoPong: false });
  const lively = bench.session();
  await Promise.all([joined(silent), joined(lively)]);
  let pings = 0;
  lively.socket.on('ping', () => pings++);
  const open: number[] = [];
  for (let round = 1; round <= 3; round++) {
    platform.pass(20_000);
    await expect.poll(() => pings).toBe(round);
    await roundTrip(lively);
    open.push(bench.sockets.size);
  }
  expect(open).toEqual([2, 2, 1]);
  expect((await silent.closed).code).toBe(1006);
  await bench.append('still there');
  await lively.until((frames) => textsOf(frames).includes('still there'));
});

test('a peer whose connection is cut is forgotten', async () => {
  const bench = await startBench();
  const socket = bench.session();
  await joined(socket);
  (socket.socket as WebSocket & { _socket: { destroy(): void } })._socket.destroy();
  await expect.poll(() => bench.sockets.size).toBe(0);
  await bench.append('nobody hears');
});

test('frames that break the protocol close that connection and harm no other', async () => {
  const bench = await startBench({ maxFrame: 1000 });
  const watcher = bench.session();
  await joined(watcher);
  const large = await bench.session().opened();
  large.send(JSON.stringify({ role: 'user', content: 'x'.repeat(2000) }));
  expect((await large.closed).code).toBe(1009);
  const broken = [
    // text with bytes that are not UTF-8, an unmasked frame, a frame with reserved bits, a continuation without a first frame
    Buffer.from([0x81, 0x82, 0, 0, 0, 0, 0xc3, 0x28]),
    Buffer.from([0x81, 0x02, 0x68, 0x69]),
    Buffer.from([0xf1, 0x80, 0, 0, 0, 0]),
    Buffer.from([0x80, 0x80, 0, 0, 0, 0]),
  ];
  for (const bytes of broken) {
    const socket = await bench.session().opened();
    (socket.socket as WebSocket & { _socket: { write(data: Buffer): void } })._socket.write(bytes);
    expect([1002, 1006, 1007]).toContain((await socket.closed).code);
  }
  await expect.poll(() => bench.sockets.size).toBe(1);
  await bench.append('fine');
  await watcher.until((frames) => textsOf(frames).includes('fine'));
  expect(bench.reported).toEqual([]);
});

test('requests for an upgrade that are none are answered, and the server goes on', async () => {
  const bench = await startBench();
  const answers = [
    `GET /sockets/session/${bench.id} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
    `GET /sockets/session/${bench.id} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n`,
    'GET // HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
    'GET /?%%% HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
  ].map((request) => statusOf(bench.port, request));
  for (const status of await Promise.all(answers)) expect([400, 403, 404, 426]).toContain(status);
  await joined(bench.session());
});

test('a client that sends faster than it is served is made to wait, and nothing of it is lost', async () => {
  const bench = await startBench();
  const socket = await bench.session().opened();
  for (let number = 0; number < 500; number++) socket.send({ role: 'tool', content: `${number}` });
  socket.send({ role: 'user', content: 'the last' });
  await socket.until((frames) => textsOf(frames).includes('the last'));
  expect(socket.frames.filter(({ type }) => type === 'error')).toHaveLength(500);
});

test('a closing server tells every client, with a code after which clients reconnect', async () => {
  const bench = await startBench();
  const sockets = [bench.session(), bench.open(), bench.session(-1)];
  await Promise.all(sockets.map(joined));
  await bench.close();
  const expected = sockets.map(() => ({ code: 1012, reason: 'Server is stopping' }));
  expect(await Promise.all(sockets.map((socket) => socket.closed))).toEqual(expected);
});

test('a client that does not answer holds up a server that closes for a second and no longer', async () => {
  const platform = new ManualPlatform();
  const bench = await startBench({ platform });
  const socket = bench.session();
  await joined(socket);
  socket.socket.pause();
  const closing = bench.close();
  await expect.poll(() => bench.sockets.size).toBe(0);
  platform.pass(1000);
  await closing;
  socket.socket.resume();
  await socket.closed;
});

test('a conversation that is deleted closes its sockets for good', async () => {
  const bench = await startBench();
  const sockets = [bench.session(), bench.open()];
  await Promise.all(sockets.map(joined));
  await bench.host.delete(bench.id);
  const expected = sockets.map(() => ({ code: 4004, reason: 'Conversation not found' }));
  expect(await Promise.all(sockets.map((socket) => socket.closed))).toEqual(expected);
});

test('an idle conversation is let go when its last socket has gone, and loaded again for the next', async () => {
  const bench = await startBench({ idleTimeout: 1 });
  await bench.append('kept');
  bench.releaseOwn();
  const socket = bench.session();
  await joined(socket);
  expect(bench.host.loaded(bench.id)).toBeDefined();
  socket.terminate();
  await expect.poll(() => bench.host.loaded(bench.id)).toBeUndefined();
  const next = bench.session(-1);
  await joined(next);
  expect(textsOf(next.frames)).toEqual(['kept']);
});

test('a command that the conversation refuses is answered on the socket, which stays open', async () => {
  const bench: SocketBench = await startBench();
  const socket = await bench.session().opened();
  await joined(socket);
  socket.send({ role: 'user', content: 'x'.repeat(1_100_000) });
  const { code } = await socket.find(({ type }) => type === 'error');
  expect(code).toBe('EVENT_TOO_LARGE');
  await bench.append('goes on');
  await socket.until((frames) => textsOf(frames).includes('goes on'));
});

/** Resolves with the status of the answer to these bytes; 0 without an answer. */
function statusOf(port: number, request: string): Promise<number> {
  return new Promise((resolve) => {
    let answer = '';
    const connection = createConnection(port, '127.0.0.1', () => connection.write(request));
    connection.on('data', (data) => (answer += data.toString()));
    connection.on('close', () => resolve(Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 0)));
    connection.on('error', () => {});
  });
}
