import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import { onTestFinished } from 'vitest';

/** A request as an owner gets it. */
export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  /** Names and values in the order in which they came. */
  readonly rawHeaders: readonly string[];
  readonly body: string;
}

/** A server that owns conversations, as far as other servers can see. */
export interface FakeOwner {
  readonly url: string;
  readonly received: readonly Received[];
  /** Returns the number of connections that were opened. */
  readonly connections: () => number;
  /** Takes no connection any more. */
  stop(): Promise<void>;
}

/** Starts an owner that answers with this function. */
export async function startOwner(
  answer: (response: ServerResponse, received: Received) => void | Promise<void>,
): Promise<FakeOwner> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', headers, rawHeaders } = request;
      const one = { method, path: url, headers, rawHeaders, body: Buffer.concat(chunks).toString() };
      received.push(one);
      void answer(response, one);
    });
  });
  let connections = 0;
  server.on('connection', () => connections++);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const stop = (): Promise<void> =>
    new Promise((resolve) => {
      server.closeAllConnections();
      server.close(() => resolve());
    });
  onTestFinished(stop);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    connections: () => connections,
    stop,
  };
}

/** Answers with JSON. */
export function json(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}
