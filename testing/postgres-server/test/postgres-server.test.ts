import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { PostgresServer } from '../src/index.ts';

/** Returns the answer to a request for TLS, which every version gives to every client. */
async function answer(port: number): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  const request = Buffer.alloc(8);
  request.writeInt32BE(8, 0);
  request.writeInt32BE(80_877_103, 4);
  socket.write(request);
  try {
    const [bytes] = (await once(socket, 'data')) as [Buffer];
    return bytes.toString();
  } finally {
    socket.destroy();
  }
}

test('a server answers on its port, after a crash again, and leaves nothing behind', async () => {
  const server = await PostgresServer.start();
  expect(await answer(server.port)).toBe('N');
  await server.crash();
  await expect(answer(server.port)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  await server.startAgain();
  expect(await answer(server.port)).toBe('N');
  await server.stop();
  expect(existsSync(server.folder)).toBe(false);
});
