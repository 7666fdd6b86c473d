import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { timers, type Platform, type Timer } from '@conv/core/platform';
import { CLOSE_CODES, type CloseCode } from '@conv/openhands/sockets';
import type { WebSocket, WebSocketServer } from 'ws';

import type { AccessKeys } from '../auth/access-keys.ts';
import { addressOf } from '../auth/caller.ts';
import { OriginRules, type CorsOptions } from '../auth/cross-origin.ts';
import { GuessLimit } from '../auth/guess-limit.ts';
import type { OutboundLimits } from './outbound-queue.ts';
import { awaitKey, judgeUpgrade, type Admitted, type SocketAuth, type UpgradeVerdict } from './socket-auth.ts';
import { SocketRights, type SocketRightsDeps } from './socket-rights.ts';
import { INTERNAL_ERROR, SocketConnection } from './socket-connection.ts';
import type { SocketObserver } from './socket-observer.ts';
import { findSocket, type FoundSocket, type SocketHandler } from './socket-handler.ts';
import { UnauthenticatedClients } from './unauthenticated-clients.ts';

export interface SocketServerOptions {
  readonly platform: Platform;
  readonly keys: AccessKeys;
  /** Limit of wrong keys, shared with the routes. Default: a separate limit for sockets. */
  readonly guesses?: GuessLimit;
  readonly peer?: SocketAuth['peer'];
  readonly vouchers?: SocketAuth['vouchers'];
  readonly knows?: SocketRightsDeps['knows'];
  readonly handlers: readonly SocketHandler[];
  /** Pages that may open sockets when no key is needed. Default: those of this machine. */
  readonly cors?: CorsOptions | undefined;
  /** Receives the error that a handler rejected with. */
  readonly report: (error: unknown, path: string) => void;
  readonly observer?: SocketObserver | undefined;
  /** Maximum bytes of a client's frame; a larger frame closes the connection with 1009. Default 4 MiB. */
  readonly maxFrame?: number;
  /** Limits of the frames that wait for one client. Default 4 MiB a frame, 16 MiB together. */
  readonly limits?: OutboundLimits;
}

/** Normal end of a connection. */
const DONE: CloseCode = { code: 1000, reason: '', reconnect: 'later' };

/** Milliseconds between pings; a peer that misses two is disconnected. */
const PING_INTERVAL = 20_000;

/** Maximum milliseconds that clients can delay a closing server. */
const SHUTDOWN_TIMEOUT = 1000;

/** Accepts upgrade requests: finds the handler, authenticates the client, upgrades, and pings open connections. */
export class SocketServer {
  readonly #options: SocketServerOptions;
  readonly #platform: Platform;
  readonly #auth: SocketAuth;
  readonly #unauthenticated = new UnauthenticatedClients();
  readonly #maxFrame: number;
  #upgrades: Promise<WebSocketServer> | undefined;
  readonly #open = new Set<SocketConnection>();
  readonly #pings: Timer;
  readonly #rights: SocketRights;
  #closed = false;

  constructor(options: SocketServerOptions) {
    const { maxFrame = 4 * 1024 * 1024, platform } = options;
    this.#options = options;
    this.#platform = platform;
    const { keys, cors, guesses = new GuessLimit(platform), peer, vouchers } = options;
    this.#auth = { keys, guesses, peer, vouchers, origins: new OriginRules(cors, keys.required) };
    this.#maxFrame = maxFrame;
    this.#rights = new SocketRights({ platform, knows: options.knows, report: options.report });
    const ping = (): void => this.#open.forEach((connection) => connection.ping());
    this.#pings = timers.every(platform, PING_INTERVAL, ping, { background: true });
  }

  /** The number of open connections. */
  get size(): number {
    return this.#open.size;
  }

  /** Takes a request whose path, without the prefix of the server, is `path`. Never rejects. */
  async handle(request: IncomingMessage, socket: Duplex, head: Buffer, path: string): Promise<void> {
    if (this.#closed) return refuse(socket, 503, 'Service Unavailable');
    const query = new URLSearchParams((request.url ?? '').split('?')[1]);
    // an error of the connection while its key is checked ends the connection alone
    const failed = (): void => void socket.destroy();
    socket.once('error', failed);
    const [verdict, upgrades] = await Promise.all([this.#judge(request, path), (this.#upgrades ??= this.#load())]);
    socket.off('error', failed);
    if (socket.destroyed) return;
    if (this.#isClosed()) return refuse(socket, 503, 'Service Unavailable');
    if (verdict === 'failed') return refuse(socket, 500, 'Internal Server Error');
    const address = addressOf(request);
    const found = verdict === 'refused' ? undefined : findSocket(this.#options.handlers, path, query);
    if (verdict === 'refused') this.#options.observer?.refused?.(path, address);
    if (!found) return refuse(socket, 403, 'Forbidden');
    upgrades.handleUpgrade(request, socket, head, (upgraded) => {
      void this.#serve(
        { upgraded, socket, address, admitted: typeof verdict === 'object' ? verdict : undefined },
        found,
      );
    });
  }

  /** Loads what upgrades need, with the first of them: a server must answer its first request before. */
  async #load(): Promise<WebSocketServer> {
    const { WebSocketServer: Upgrades } = await import('ws');
    return new Upgrades({ noServer: true, clientTracking: false, maxPayload: this.#maxFrame });
  }

  /** As {@link judgeUpgrade}; `failed` if a function of the host failed, which must not end the process. */
  async #judge(request: IncomingMessage, path: string): Promise<UpgradeVerdict | 'failed'> {
    try {
      return await judgeUpgrade(this.#auth, request);
    } catch (error) {
      this.#options.report(error, path);
      return 'failed';
    }
  }

  /** True if it was closed meanwhile. */
  #isClosed(): boolean {
    return this.#closed;
  }

  /** Closes every connection and opens no more. */
  close(): void {
    this.#closed = true;
    this.#pings.cancel();
    this.#rights.close();
    for (const connection of this.#open) connection.close(CLOSE_CODES.shutdown, SHUTDOWN_TIMEOUT);
  }

  async #serve(client: Client, found: FoundSocket): Promise<void> {
    const { path, serve } = found;
    const connection = new SocketConnection(client.upgraded, this.#platform, this.#options.limits);
    this.#open.add(connection);
    this.#options.observer?.opened?.(path);
    const closed = (): void => {
      this.#open.delete(connection);
      this.#options.observer?.closed?.(path, connection.closedWith);
    };
    connection.whenClosed(closed);
    try {
      const admitted = client.admitted ?? (await this.#shows(connection, client));
      if (!admitted) return this.#options.observer?.refused?.(path, client.address);
      if (!(await this.#rights.grant(connection, admitted, found))) return undefined;
      if ((await serve(connection)) !== 'stays') connection.close(DONE);
    } catch (error) {
      connection.close(INTERNAL_ERROR);
      this.#options.report(error, path);
    }
  }

  /** Resolves with the holder of the key in a client's first frame. */
  async #shows(connection: SocketConnection, { address, socket }: Client): Promise<Admitted | undefined> {
    const end = (): void => connection.close(CLOSE_CODES.authenticationFailed, 0);
    const leave = this.#unauthenticated.add({ address, end }, socket);
    try {
      return await awaitKey(connection, this.#auth, this.#platform, address);
    } finally {
      leave();
    }
  }
}

/** A client whose request was upgraded. */
interface Client {
  readonly upgraded: WebSocket;
  readonly socket: Duplex;
  readonly address: string;
  /** `undefined` until the first frame of the client shows a key. */
  readonly admitted: Admitted | undefined;
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
