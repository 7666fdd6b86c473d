import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, onTestFinished, test } from 'vitest';

import { SCOPES, type Principal } from '../../src/auth/principal.ts';
import { newConversation, startServer } from '../support/test-server.ts';

const BOUNDARY = 'a-boundary';

/** A request of which the last byte is missing until `finish`. */
interface Late {
  readonly answer: Promise<string>;
  finish(): void;
}

function send(url: string, path: string, type: string, body: string): Late {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  const head = [
    `POST ${path} HTTP/1.1`,
    `Host: ${hostname}:${port}`,
    'X-Session-API-Key: ann',
    `Content-Type: ${type}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${body.slice(0, -1)}`);
  const { promise: answer, resolve } = Promise.withResolvers<string>();
  let received = '';
  socket.on('data', (bytes) => (received += bytes.toString()));
  socket.on('close', () => resolve(received));
  return { answer, finish: () => void socket.write(body.slice(-1)) };
}

test.each(['a conversation', 'a file'])('%s whose body arrives after its key was revoked is refused', async (what) => {
  const folder = mkdtempSync(join(tmpdir(), 'conv-late-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  let revoked = false;
  const admitted = Promise.withResolvers<void>();
  const principal = (): Principal | undefined => {
    admitted.resolve();
    return revoked ? undefined : { name: 'ann', scopes: SCOPES };
  };
  const server = await startServer({ principal, workspaceHost: { environment: {}, workingDirectory: folder } });
  const file = join(folder, 'late.txt');
  const part = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="x"\r\n\r\ntext\r\n--${BOUNDARY}--\r\n`;
  const late =
    what === 'a file'
      ? send(server.url, `/api/file/upload?path=${file}`, `multipart/form-data; boundary=${BOUNDARY}`, part)
      : send(server.url, '/api/conversations', 'application/json', JSON.stringify(newConversation(folder)));
  await admitted.promise;
  revoked = true;
  late.finish();
  expect(await late.answer).toMatch(/^HTTP\/1.1 401 /);
  expect(existsSync(file)).toBe(false);
  expect((await server.store.list()).items).toEqual([]);
});
