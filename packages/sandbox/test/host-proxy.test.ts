import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server } from 'node:net';
import { text } from 'node:stream/consumers';

import { Hosts } from '@conv/egress';
import { expect, onTestFinished, test } from 'vitest';

import { HostProxy } from '../src/host-proxy.ts';

async function listening(server: Server): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** Starts a host, and a proxy that lists it. Resolves with a function that sends bytes to the proxy and reads all answers. */
async function before(host: Server): Promise<(sent: (host: string) => string) => Promise<string>> {
  const name = `127.0.0.1:${await listening(host)}`;
  return askThrough(new HostProxy(new Hosts([name])), name);
}

async function askThrough(
  proxy: HostProxy,
  name: string,
): Promise<(sent: (host: string) => string) => Promise<string>> {
  const server = createServer();
  const port = await listening(server);
  proxy.listen(server);
  onTestFinished(() => proxy.close());
  return async (sent) => {
    const socket = connect(port, '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    socket.write(sent(name));
    return text(socket);
  };
}

/** Resolves with the name of a host that accepts no more connections: its process is stopped, and its queue is full. */
async function fullHost(): Promise<string> {
  const code = `const s = require('node:net').createServer();
    s.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => console.log(s.address().port))`;
  const host = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void host.kill('SIGKILL'));
  const [said] = (await once(host.stdout, 'data')) as [Buffer];
  host.kill('SIGSTOP');
  const port = Number(said.toString());
  const queued = Array.from({ length: 2 }, () => connect(port, '127.0.0.1'));
  for (const socket of queued) onTestFinished(() => void socket.destroy());
  await Promise.all(queued.map((socket) => once(socket, 'connect')));
  return `127.0.0.1:${port}`;
}

/** A host that answers its first bytes with this. */
function saying(answer: string): Server {
  return createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(answer, 'latin1'));
  });
}

const get = (host: string): string => `GET http://${host}/ HTTP/1.1\r\nHost: ${host}\r\n\r\n`;

test.each([
  ['a status that is none', 'HTTP/1.1 000 x\r\n\r\n'],
  ['nothing', ''],
  ['another protocol', 'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'],
  ['what is no HTTP', 'hello\r\n\r\n'],
])('a host that answers with %s counts as a host that was not reached', async (_, answer) => {
  const ask = await before(saying(answer));
  expect(await ask(get)).toMatch(/^HTTP\/1\.1 502 /);
});

test.each([
  ['a request', get],
  ['a tunnel', (host: string): string => `CONNECT ${host} HTTP/1.1\r\nHost: ${host}\r\n\r\n`],
])('%s to a host that accepts no connection is answered when its time is over', async (_, sent) => {
  const name = await fullHost();
  const ask = await askThrough(new HostProxy(new Hosts([name]), 20), name);
  const answer = await ask(sent);
  expect(answer).toMatch(/^HTTP\/1\.1 502 /);
  expect(answer).toContain(`${name} was not reached: no answer in 0.02 s`);
});

test('a message of the status with control characters is not passed on', async () => {
  const ask = await before(saying('HTTP/1.1 200 a\u0001b\r\nContent-Length: 2\r\n\r\nhi'));
  const answer = await ask(get);
  expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  expect(answer).toContain('\r\nhi\r\n');
});

test('one connection makes one request of a host, whatever stands behind it', async () => {
  const ask = await before(saying('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi'));
  const answers = await ask((host) => get(host).repeat(20));
  expect(answers.match(/200 OK/g)).toHaveLength(1);
});

test('a body without a length reaches its host as one', async () => {
  const seen: string[] = [];
  const host = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (chunk: Buffer) => {
      seen.push(chunk.toString('latin1'));
      if (seen.join('').includes('0\r\n\r\n')) socket.end('HTTP/1.1 204 No Content\r\n\r\n');
    });
  });
  const ask = await before(host);
  const answer = await ask(
    (name) =>
      `DELETE http://${name}/ HTTP/1.1\r\nHost: ${name}\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n`,
  );
  expect(answer).toContain('204');
  expect(seen.join('')).toMatch(/transfer-encoding: chunked[^]*\r\n3\r\nabc\r\n0\r\n\r\n$/i);
});
