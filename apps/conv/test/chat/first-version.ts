import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** A server as clients see it that know OpenHands' first version alone: a proxy which hides what the server can do beyond that. */
export class FirstVersion implements AsyncDisposable {
  readonly url: string;
  readonly #close: () => Promise<void>;

  private constructor(url: string, close: () => Promise<void>) {
    this.url = url;
    this.#close = close;
  }

  /** Starts it in front of the server at this address. */
  static async of(target: string): Promise<FirstVersion> {
    const sockets = new Set<Socket>();
    const proxy = createServer((asked, answer) => pass(target, asked, answer));
    proxy.on('connection', (socket) => void sockets.add(socket));
    proxy.on('upgrade', (asked, client: Socket) => {
      const upgrade = request(`${target}${asked.url ?? ''}`, { headers: hidden(asked.headers) });
      upgrade.on('upgrade', ({ rawHeaders }, server) => {
        sockets.add(server);
        const lines = rawHeaders.map((part, at) => (at % 2 === 0 ? `${part}: ` : `${part}\r\n`));
        client.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join('')}\r\n`);
        server.on('error', () => client.destroy()).pipe(client);
        client.on('error', () => server.destroy()).pipe(server);
      });
      upgrade.on('response', () => client.destroy()).on('error', () => client.destroy());
      upgrade.end();
    });
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    return new FirstVersion(`http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, async () => {
      for (const socket of sockets) socket.destroy();
      proxy.close();
      await once(proxy, 'close');
    });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#close();
  }
}

function pass(target: string, asked: IncomingMessage, answer: ServerResponse): void {
  const { method = 'GET', url = '/' } = asked;
  const onward = request(`${target}${url}`, { method, headers: hidden(asked.headers) }, (told) => {
    if (url !== '/server_info') {
      answer.writeHead(told.statusCode ?? 502, told.headers);
      told.pipe(answer);
      return;
    }
    const parts: Buffer[] = [];
    told.on('data', (part: Buffer) => parts.push(part));
    told.on('end', () => {
      const info = JSON.parse(Buffer.concat(parts).toString()) as object;
      answer.writeHead(200, { 'content-type': 'application/json' });
      answer.end(JSON.stringify({ ...info, capabilities: [] }));
    });
  });
  onward.on('error', () => answer.destroy());
  asked.pipe(onward);
}

function hidden(headers: OutgoingHttpHeaders): OutgoingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name !== 'idempotency-key'));
}
