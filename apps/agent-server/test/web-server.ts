import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';

import { onTestFinished } from 'vitest';

/** A handler of an adapter on a real port. */
export interface WebServer {
  /** The address, without a path. */
  readonly url: string;
  /** Ends every connection, as a proxy does. */
  readonly cut: () => void;
}

/** Serves a handler until the test has finished. */
export async function serveHandler(handle: (request: Request) => Promise<Response>): Promise<WebServer> {
  const server = createServer((request, response) => {
    const left = new AbortController();
    response.once('close', () => left.abort());
    const { method = '', url = '', headers } = request;
    const body = method === 'POST' ? { body: Readable.toWeb(request) as ReadableStream, duplex: 'half' as const } : {};
    const init = { method, headers: headers as Record<string, string>, signal: left.signal, ...body };
    void handle(new Request(`http://${headers.host}${url}`, init)).then(async (answer) => {
      response.writeHead(answer.status, Object.fromEntries(answer.headers));
      try {
        for await (const part of answer.body ?? []) response.write(part);
      } catch {
        // the client has gone
      }
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, cut: () => server.closeAllConnections() };
}
