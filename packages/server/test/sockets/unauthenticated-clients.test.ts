import { connect, type Socket } from 'node:net';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';

import { expect, onTestFinished, test } from 'vitest';

import { FirstFrameLimit } from '../../src/sockets/first-frame-limit.ts';
import { UnauthenticatedClients } from '../../src/sockets/unauthenticated-clients.ts';
import { startBench } from '../support/socket-bench.ts';

const KEY = 'the-key-of-the-server';

/** A frame of a client, whose mask is 0. */
function frame(opcode: number, content: Buffer, { fin = true }: { readonly fin?: boolean } = {}): Buffer {
  const { length } = content;
  const short = length < 126 ? length : length < 65_536 ? 126 : 127;
  const extra = Buffer.alloc(short === 126 ? 2 : short === 127 ? 8 : 0);
  if (short === 126) extra.writeUInt16BE(length);
  if (short === 127) extra.writeBigUInt64BE(BigInt(length));
  return Buffer.concat([Buffer.from([(fin ? 0x80 : 0) | opcode, 0x80 | short]), extra, Buffer.alloc(4), content]);
}

const auth = frame(1, Buffer.from(JSON.stringify({ type: 'auth', session_api_key: KEY })));
const large = frame(1, Buffer.alloc(4 * 1024 * 1024, 'a'));

/** A connection that was upgraded and has shown no key. */
async function upgraded(port: number, id: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  const head = [
    `GET /sockets/events/${id} HTTP/1.1`,
    'Host: 127.0.0.1',
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  await once(socket, 'data');
  socket.on('error', () => {});
  return socket;
}

test('a first frame that is too large ends the connection before it has come whole', async () => {
  const bench = await startBench({ keys: [KEY] });
  const socket = await upgraded(bench.port, bench.id);
  socket.write(large.subarray(0, 20));
  await new Promise((resolve) => socket.once('close', resolve));
  await expect.poll(() => bench.sockets.size).toBe(0);
});

test('frames after the key may have the full size, also in the same chunk', async () => {
  const bench = await startBench({ keys: [KEY] });
  const socket = await upgraded(bench.port, bench.id);
  const said = JSON.stringify({ role: 'user', content: [{ type: 'text', text: 'x'.repeat(200_000) }], run: false });
  socket.write(Buffer.concat([auth, frame(1, Buffer.from(said))]));
  await expect.poll(() => bench.state().events.length).toBeGreaterThan(0);
});

test('a frame is recognized however it is cut; its pieces and endless pings hold no key', () => {
  const inBytes = (bytes: Buffer): boolean => {
    const limit = new FirstFrameLimit();
    return [...bytes].every((byte) => limit.admits(Buffer.from([byte])));
  };
  const ping = frame(9, Buffer.alloc(4));
  expect(inBytes(Buffer.concat([ping, auth, large.subarray(0, 100)]))).toBe(true);
  expect(inBytes(large.subarray(0, 100))).toBe(false);
  expect(inBytes(frame(1, Buffer.alloc(5000)))).toBe(false);
  expect(inBytes(frame(1, Buffer.from('{'), { fin: false }))).toBe(false);
  expect(inBytes(Buffer.concat(Array.from({ length: 100 }, () => ping)))).toBe(false);
});

test('too many clients without a key end the oldest connection of the address that has most', () => {
  const clients = new UnauthenticatedClients();
  const gone: string[] = [];
  const leave = new Map<string, () => void>();
  const enter = (address: string, name: string): void => {
    const end = (): void => {
      gone.push(name);
      leave.get(name)?.();
    };
    leave.set(name, clients.add({ address, end }, new PassThrough()));
  };
  for (let index = 0; index < 129; index++) enter('10.0.0.1', `a${index}`);
  expect([gone, clients.size]).toEqual([['a0'], 128]);
  for (let index = 0; index < 384; index++) enter(`10.0.1.${index % 250}`, `b${index}`);
  enter('10.0.2.1', 'last');
  expect([gone, clients.size]).toEqual([['a0', 'a1'], 512]);
});
