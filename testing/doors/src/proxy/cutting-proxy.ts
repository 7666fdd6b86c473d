import { once } from 'node:events';
import { createServer, request as ask, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { buffer } from 'node:stream/consumers';

import { WebSocket, WebSocketServer } from 'ws';

/** Called with the number of each frame, from 1. Returns true to cut every connection behind it. */
export type Watch = (frame: number) => boolean;

/**
 * A proxy that counts the frames which a client gets, and cuts its connections at a boundary between two of them. A frame is a
 * message of a socket, a server-sent event, or an answer of a route that waits for events; such an answer is lost in the cut.
 */
export class CuttingProxy implements AsyncDisposable {
  /** The port of the server. */
  target: number;
  /** The number of frames so far. */
  frames = 0;
  /** False while no client gets through. */
  isOpen = true;
  watch: Watch = () => false;
  readonly #server: Server;
  readonly #sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false });

  private constructor(target: number) {
    this.target = target;
    this.#server = createServer((request, response) => {
      this.#forward(request, response).catch(() => request.socket.destroy());
    });
    this.#server.on('upgrade', (request, socket, head) => this.#upgrade(request, socket, head));
    this.#server.on('clientError', (_, socket) => socket.destroy());
  }

  static async start(target: number): Promise<CuttingProxy> {
    const proxy = new CuttingProxy(target);
    await once(proxy.#server.listen(0, '127.0.0.1'), 'listening');
    return proxy;
  }

  /** The address for clients. */
  get url(): string {
    const { port } = this.#server.address() as AddressInfo;
    return `http://127.0.0.1:${port}`;
  }

  /** Ends every connection. */
  cut(): void {
    for (const client of this.#sockets.clients) client.terminate();
    this.#server.closeAllConnections();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.isOpen = false;
    this.cut();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** Counts a frame. Returns true if the connections are to be cut behind it. */
  #count(): boolean {
    return this.watch(++this.frames);
  }

  async #forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!this.isOpen) return void request.socket.destroy();
    const { method, url = '', headers } = request;
    const body = await buffer(request);
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const sent = { ...headers, 'content-length': body.length, connection: 'close' };
    const asked = ask(
      { host: '127.0.0.1', port: this.target, method, path: url, headers: sent, agent: false },
      resolve,
    );
    asked.on('error', reject);
    response.once('close', () => asked.destroy());
    asked.end(body);
    const answer = await promise;
    if (answer.headers['content-type']?.startsWith('text/event-stream')) return this.#stream(answer, response);
    const whole = await buffer(answer);
    if (url.includes('/events/poll') && this.#count()) return this.cut();
    const { 'transfer-encoding': _, connection: __, ...rest } = answer.headers;
    response.writeHead(answer.statusCode ?? 502, rest).end(whole);
  }

  async #stream(answer: IncomingMessage, response: ServerResponse): Promise<void> {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    response.flushHeaders();
    let rest = '';
    for await (const part of answer.setEncoding('utf8')) {
      const frames = `${rest}${part as string}`.split('\n\n');
      rest = frames.pop() as string;
      for (const frame of frames) {
        await new Promise((resolve) => response.write(`${frame}\n\n`, resolve));
        if (frame.includes('data: ') && this.#count()) return this.cut();
      }
    }
    response.end(rest);
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', () => socket.destroy());
    if (!this.isOpen) return void socket.destroy();
    const { 'x-session-api-key': key } = request.headers;
    const headers = key === undefined ? {} : { 'x-session-api-key': String(key) };
    const server = new WebSocket(`ws://127.0.0.1:${this.target}${request.url}`, { headers, perMessageDeflate: false });
    server.on('error', () => socket.destroy()).on('unexpected-response', () => socket.destroy());
    socket.once('close', () => server.terminate());
    this.#sockets.handleUpgrade(request, socket, head, (client) => {
      const early: string[] = [];
      const whenOpen = (text: string): void => {
        if (server.readyState === WebSocket.OPEN) server.send(text);
        else early.push(text);
      };
      server.once('open', () => early.splice(0).forEach(whenOpen));
      client.on('error', () => client.terminate()).on('message', (data) => whenOpen((data as Buffer).toString()));
      server.on('message', (data) => {
        client.send((data as Buffer).toString(), () => {
          if (this.#count()) this.cut();
        });
      });
      server.on('close', () => client.terminate());
    });
  }
}
