import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

import { AUTH_FRAME_TIMEOUT, CLOSE_CODES, type CloseCode } from '@conv/protocol';
import { WebSocketServer, type WebSocket } from 'ws';

import type { AccessKeys } from '../auth/access-keys.ts';
import { OriginRules, type CorsOptions } from '../auth/cross-origin.ts';
import type { OutboundLimits } from './outbound-queue.ts';
import { awaitKey, judgeUpgrade } from './socket-auth.ts';
import { systemClock, type SocketClock } from './socket-clock.ts';
import { INTERNAL_ERROR, SocketConnection } from './socket-connection.ts';
import { findSocket, type SocketHandler } from './socket-handler.ts';
import type { SocketObserver } from './socket-observer.ts';

/** What a {@link SocketServer} is made of. */
export interface SocketServerOptions {
  readonly keys: AccessKeys;
  readonly handlers: readonly SocketHandler[];
  /** Where no key is needed: which pages may open sockets. Default: those of this machine. */
  readonly cors?: CorsOptions | undefined;
  /** Told what a handler rejected with. */
  readonly report: (error: unknown, path: string) => void;
  readonly observer?: SocketObserver | undefined;
  /** Bytes of a client's frame; a larger one closes the connection with 1009. Default 4 MiB. */
  readonly maxFrame?: number;
  /** Milliseconds within which a client without a key in its request has to show one. Default 10 s. */
  readonly authDeadline?: number;
  /** Milliseconds between pings; a peer that misses two is given up. Default 20 s. */
  readonly pingInterval?: number;
  /** What may wait for one client. Default 4 MiB a frame, 16 MiB together. */
  readonly limits?: OutboundLimits;
  readonly clock?: SocketClock;
}

/** There is nothing more to say. */
const DONE: CloseCode = { code: 1000, reason: '', reconnect: 'later' };

/** Milliseconds that clients hold up a server that closes. */
const SHUTDOWN_PATIENCE = 1000;

/** Takes requests for sockets: finds the route, asks who it is, opens, and looks after what is open. */
export class SocketServer {
  readonly #options: SocketServerOptions;
  readonly #clock: SocketClock;
  readonly #origins: OriginRules;
  readonly #upgrades: WebSocketServer;
  readonly #open = new Set<SocketConnection>();
  readonly #stopPings: () => void;
  #closed = false;

  constructor(options: SocketServerOptions) {
    const { maxFrame = 4 * 1024 * 1024, pingInterval = 20_000, clock = systemClock } = options;
    this.#options = options;
    this.#clock = clock;
    this.#origins = new OriginRules(options.cors);
    this.#upgrades = new WebSocketServer({ noServer: true, clientTracking: false, maxPayload: maxFrame });
    this.#stopPings = clock.every(pingInterval, () => {
      for (const connection of this.#open) connection.ping();
    });
  }

  /** How many connections are open. */
  get size(): number {
    return this.#open.size;
  }

  /** Takes a request whose path, without the prefix of the server, is `path`. */
  handle(request: IncomingMessage, socket: Duplex, head: Buffer, path: string): void {
    if (this.#closed) return refuse(socket, 503, 'Service Unavailable');
    const query = new URLSearchParams((request.url ?? '').split('?')[1]);
    const verdict = judgeUpgrade(this.#options.keys, this.#origins, request);
    const found = verdict === 'refused' ? undefined : findSocket(this.#options.handlers, path, query);
    if (!found) return refuse(socket, 403, 'Forbidden');
    this.#upgrades.handleUpgrade(request, socket, head, (upgraded) => {
      void this.#serve(upgraded, found, typeof verdict === 'object' ? verdict : undefined);
    });
  }

  /** Closes every connection and opens none any more. */
  close(): void {
    this.#closed = true;
    this.#stopPings();
    for (const connection of this.#open) connection.close(CLOSE_CODES.shutdown, SHUTDOWN_PATIENCE);
  }

  async #serve(
    socket: WebSocket,
    { path, serve }: NonNullable<ReturnType<typeof findSocket>>,
    shown: { readonly key: string | undefined } | undefined,
  ): Promise<void> {
    const connection = new SocketConnection(socket, this.#clock, this.#options.limits);
    connection.key = shown?.key;
    this.#open.add(connection);
    this.#options.observer?.opened?.(path);
    const closed = (): void => {
      this.#open.delete(connection);
      this.#options.observer?.closed?.(path, connection.closedWith);
    };
    connection.closed.addEventListener('abort', closed, { once: true });
    try {
      if (!shown && !(await this.#showsKey(connection))) return;
      await serve(connection);
      connection.close(DONE);
    } catch (error) {
      connection.close(INTERNAL_ERROR);
      this.#options.report(error, path);
    }
  }

  async #showsKey(connection: SocketConnection): Promise<boolean> {
    const { keys, authDeadline = AUTH_FRAME_TIMEOUT } = this.#options;
    connection.key = await awaitKey(connection, keys, { clock: this.#clock, deadline: authDeadline });
    return connection.key !== undefined;
  }
}

function refuse(socket: Duplex, status: number, text: string): void {
  socket.on('error', () => socket.destroy());
  const body = JSON.stringify({ detail: text });
  const head = [
    `HTTP/1.1 ${status} ${text}`,
    'Connection: close',
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}
