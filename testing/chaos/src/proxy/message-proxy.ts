import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { buffer } from 'node:stream/consumers';

import { WebSocket, WebSocketServer } from 'ws';
import type { Random } from '@conv/testing-harness';

import { FrameFaults, swappingEvents } from './frame-faults.ts';
import type { Traffic } from './traffic.ts';
import type { Weather } from './weather.ts';

/** Dependencies of a message proxy. */
export interface MessageProxyParts {
  /** Returns the port at which the server listens now. */
  readonly port: () => number;
  readonly random: Random;
  readonly weather: () => Weather;
  readonly traffic: Traffic;
  /** Swaps events, to show that the harness detects it. */
  readonly swapping: boolean;
}

/** Milliseconds after which the proxy stops waiting for an answer of the server. */
const TIMEOUT = 20_000;

/** The part of the proxy that understands requests and frames. */
export class MessageProxy {
  readonly #parts: MessageProxyParts;
  readonly #server: Server;
  readonly #sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false });

  constructor(parts: MessageProxyParts) {
    this.#parts = parts;
    this.#server = createServer((request, response) => {
      this.#forward(request, response).catch(() => request.socket.destroy());
    });
    this.#server.on('upgrade', (request, socket, head) => this.#upgrade(request, socket, head));
    this.#server.on('clientError', (_error, socket) => socket.destroy());
  }

  async listen(): Promise<number> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return (this.#server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets.clients) socket.terminate();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.#parts.traffic.requests++;
    const body = await buffer(request);
    const { unsent, lost, half } = this.#parts.weather();
    const fault = this.#parts.random.among({ unsent, lost, half });
    if (fault === 'unsent') return void request.socket.destroy();
    const answer = await ask(this.#parts.port(), request, body);
    if (fault === 'lost') return void request.socket.destroy();
    const { 'transfer-encoding': _, ...headers } = answer.headers;
    response.writeHead(answer.status, { ...headers, 'content-length': answer.body.length });
    if (fault !== 'half') return void response.end(answer.body);
    response.write(answer.body.subarray(0, answer.body.length >> 1), () => request.socket.destroy());
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', () => socket.destroy());
    const upstream = new WebSocket(`ws://127.0.0.1:${this.#parts.port()}${request.url}`, { perMessageDeflate: false });
    upstream.on('error', () => socket.destroy());
    upstream.on('unexpected-response', (_asked, { statusCode = 502 }) => {
      socket.end(`HTTP/1.1 ${statusCode} Refused\r\ncontent-length: 0\r\n\r\n`);
      upstream.terminate();
    });
    socket.once('close', () => upstream.terminate());
    // frames that come before the client has connected wait for it
    const early: string[] = [];
    let send = (frame: string): void => void early.push(frame);
    const { random, weather, traffic, swapping } = this.#parts;
    const faults = new FrameFaults(random, weather, (frame) => send(frame));
    const take = swapping ? swappingEvents((frame) => faults.take(frame)) : (frame: string) => faults.take(frame);
    upstream.on('message', (data) => take((data as Buffer).toString()));
    upstream.once('open', () => {
      this.#sockets.handleUpgrade(request, socket, head, (client) => {
        traffic.sockets++;
        send = (frame) => client.send(frame, () => {});
        early.splice(0).forEach(send);
        client.on('error', () => client.terminate());
        client.on(
          'message',
          (data) => upstream.readyState === WebSocket.OPEN && upstream.send((data as Buffer).toString()),
        );
        client.on('close', () => upstream.terminate());
        upstream.on('close', (code, reason) => (isSayable(code) ? client.close(code, reason) : client.terminate()));
      });
    });
  }
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

/** Resolves with the server's answer; rejects when the server has ended. */
function ask(port: number, { method, url, headers }: IncomingMessage, body: Buffer): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { connection: _, 'transfer-encoding': __, ...rest } = headers;
    const length = body.length > 0 ? { 'content-length': body.length } : {};
    const options = { host: '127.0.0.1', port, method, path: url, headers: { ...rest, ...length }, agent: false };
    const asked = httpRequest({ ...options, timeout: TIMEOUT }, (response) => {
      buffer(response).then(
        (answer) => resolve({ status: response.statusCode ?? 502, headers: response.headers, body: answer }),
        reject,
      );
    });
    asked.on('timeout', () => asked.destroy(new Error('no answer')));
    asked.on('error', reject);
    asked.end(body);
  });
}

/** Codes that a close frame may carry. */
function isSayable(code: number): boolean {
  return (code >= 1000 && code <= 1014 && ![1004, 1005, 1006].includes(code)) || (code >= 3000 && code <= 4999);
}
