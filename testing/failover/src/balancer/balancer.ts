import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { buffer } from 'node:stream/consumers';

import type { FateOf } from '../broken/message-fates.ts';
import { WatchedBackend, type Backend } from './health.ts';
import { relay, tunnel } from './relay.ts';

/**
 * A balancer without stickiness: every request and every socket goes to the next server in turn that answers. If a
 * server refuses the connection, or leaves a GET without an answer, the next server gets the request. A command that
 * may have arrived is answered with 502.
 */
export class Balancer {
  readonly #backends: readonly WatchedBackend[];
  readonly #fateOf: FateOf;
  readonly #server: Server;
  readonly #sockets = new Set<Duplex>();
  /** Messages that are held back, on purpose, until another message has gone to the same conversation. */
  readonly #late = new Map<string | undefined, () => Promise<void>>();
  #turn = 0;
  /** Requests and sockets that were handed on. */
  requests = 0;
  sockets = 0;

  private constructor(backends: readonly Backend[], fateOf: FateOf) {
    this.#backends = backends.map((backend) => new WatchedBackend(backend));
    this.#fateOf = fateOf;
    this.#server = createServer((request, response) => {
      this.#forward(request, response).catch(() => response.destroy());
    });
    this.#server.on('upgrade', (request, socket, head) => this.#upgrade(request, socket, head));
    this.#server.on('clientError', (_error, socket) => socket.destroy());
  }

  static async start(backends: readonly Backend[], fateOf: FateOf): Promise<Balancer> {
    const balancer = new Balancer(backends, fateOf);
    await new Promise<void>((resolve) => balancer.#server.listen(0, '127.0.0.1', resolve));
    return balancer;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#backends.map((backend) => backend.close()));
    for (const socket of this.#sockets) socket.destroy();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** The servers that answer, from the next one in turn on. */
  get #next(): readonly WatchedBackend[] {
    const from = this.#turn++ % this.#backends.length;
    return [...this.#backends.slice(from), ...this.#backends.slice(0, from)].filter(({ up }) => up);
  }

  async #forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request);
    const fate = this.#fateOf(request, body);
    if (fate === 'pass') {
      await this.#pass(request, body, response);
      if (request.method === 'POST') await this.#passLate(request.url);
    } else if (fate === 'double') {
      const { 'idempotency-key': _, ...headers } = request.headers;
      await this.#pass({ ...pick(request), headers }, body, undefined);
      await this.#pass({ ...pick(request), headers }, body, response);
    } else {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ success: true, id: request.headers['idempotency-key'], queued: false }));
      if (fate === 'delay') this.#late.set(request.url, () => this.#pass(pick(request), body, undefined));
    }
  }

  async #passLate(url: string | undefined): Promise<void> {
    const late = this.#late.get(url);
    this.#late.delete(url);
    await late?.();
  }

  async #pass(
    request: Pick<IncomingMessage, 'method' | 'url' | 'headers'>,
    body: Buffer,
    response: ServerResponse | undefined,
  ): Promise<void> {
    for (const backend of this.#next) {
      try {
        this.requests++;
        return await relay(backend, request, body, response);
      } catch (error) {
        if (response?.headersSent || response?.destroyed) return;
        if (!isRefused(error) && request.method !== 'GET') return refuse(response, 502);
      }
    }
    refuse(response, 503);
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    this.sockets++;
    this.#sockets.add(socket);
    socket.on('error', () => socket.destroy()).once('close', () => this.#sockets.delete(socket));
    this.#hand(request, socket, head).catch(() => socket.destroy());
  }

  async #hand(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    for (const backend of this.#next) {
      try {
        return await tunnel(backend, request, socket, head);
      } catch {
        if (socket.destroyed) return;
      }
    }
    socket.end('HTTP/1.1 503 No server\r\ncontent-length: 0\r\nconnection: close\r\n\r\n');
  }
}

function pick({ method, url, headers }: IncomingMessage): Pick<IncomingMessage, 'method' | 'url' | 'headers'> {
  return { method: method ?? 'GET', url: url ?? '/', headers };
}

function isRefused(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED';
}

function refuse(response: ServerResponse | undefined, status: number): void {
  if (!response || response.headersSent) return;
  response.writeHead(status, { 'content-type': 'application/json', 'retry-after': '1' });
  response.end(JSON.stringify({ detail: status === 502 ? 'the server gave no answer' : 'no server is there' }));
}
