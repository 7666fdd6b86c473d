import { request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';

import type { WatchedBackend } from './health.ts';

/**
 * Hands a request on. Resolves when the answer was passed on, as far as it came; rejects when there was none. Each request has a
 * connection of its own, so that nothing of an earlier one can go wrong with it.
 */
export function relay(
  { backend: { port }, cut }: WatchedBackend,
  { method, url, headers }: Pick<IncomingMessage, 'method' | 'url' | 'headers'>,
  body: Buffer,
  response: ServerResponse | undefined,
): Promise<void> {
  const { connection: _, 'transfer-encoding': __, ...rest } = headers;
  const length = body.length > 0 ? { 'content-length': body.length } : {};
  return new Promise((resolve, reject) => {
    const given = { host: '127.0.0.1', port, method, path: url, headers: { ...rest, ...length } };
    const asked = httpRequest({ ...given, agent: false, signal: cut }, (answer) => {
      if (!response) return void answer.resume().on('close', resolve);
      const { connection: ___, 'keep-alive': ____, ...told } = answer.headers;
      response.writeHead(answer.statusCode ?? 502, told);
      pipeline(answer, response).then(resolve, () => {
        response.destroy();
        resolve();
      });
    });
    asked.on('error', (error) => {
      if (response?.headersSent) response.destroy();
      reject(error);
    });
    response?.once('close', () => asked.destroy());
    asked.end(body);
  });
}

/** Hands a socket on. Resolves when a server answered, whatever it did; rejects when none did. */
export function tunnel(
  { backend: { port }, cut }: WatchedBackend,
  { method, url, headers }: IncomingMessage,
  client: Duplex,
  head: Buffer,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const asked = httpRequest({ host: '127.0.0.1', port, method, path: url, headers, agent: false, signal: cut });
    asked.on('upgrade', (answer, server, first) => {
      client.write(headOf(answer));
      client.write(first);
      server.write(head);
      join(client, server, cut);
      resolve();
    });
    asked.on('response', (answer) => {
      client.write(headOf(answer));
      answer.pipe(client);
      resolve();
    });
    asked.on('error', reject);
    client.once('close', () => asked.destroy());
    asked.end();
  });
}

/** Either of them ends the other. */
function join(client: Duplex, server: Duplex, cut: AbortSignal): void {
  const end = (): void => {
    client.destroy();
    server.destroy();
    cut.removeEventListener('abort', end);
  };
  cut.addEventListener('abort', end, { once: true });
  for (const side of [client, server]) side.on('error', end).on('close', end);
  client.pipe(server);
  server.pipe(client);
}

function headOf({ statusCode, statusMessage, rawHeaders }: IncomingMessage): string {
  const lines = [`HTTP/1.1 ${statusCode} ${statusMessage}`];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2)
    if (rawHeaders[at]?.toLowerCase() !== 'transfer-encoding') lines.push(`${rawHeaders[at]}: ${rawHeaders[at + 1]}`);
  return `${lines.join('\r\n')}\r\n\r\n`;
}
