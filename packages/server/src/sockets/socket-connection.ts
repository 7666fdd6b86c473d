import type { Platform } from '@conv/core/platform';
import { CLOSE_CODES, type CloseCode } from '@conv/openhands/sockets';
import type { RawData, WebSocket } from 'ws';

import type { Caller } from '../auth/principal.ts';
import { InboundQueue, type InboundFrame, type TakeFrame } from './inbound-queue.ts';
import { OutboundQueue, type OutboundLimits, type Overflow } from './outbound-queue.ts';

/** Close code for a failure of the server itself. */
export const INTERNAL_ERROR: CloseCode = { code: 1011, reason: 'Internal server error', reconnect: 'later' };

const OVERFLOWS: Readonly<Record<Overflow, CloseCode>> = {
  frame_too_large: CLOSE_CODES.frameTooLarge,
  slow_consumer: CLOSE_CODES.slowConsumer,
};

/** Milliseconds within which a peer must answer a close frame, because unread frames must not stay in memory. */
const CLOSE_TIMEOUT = 10_000;

/** A client that has shown no key. */
const NOBODY: Caller = { name: null, scopes: [] };

/** A connection to one client, after the upgrade. No method waits for the peer, or throws because the peer has gone. */
export class SocketConnection {
  /** The client. Its rights may change while it is connected. */
  caller: Caller = NOBODY;
  readonly #socket: WebSocket;
  readonly #platform: Platform;
  readonly #outbound: OutboundQueue;
  readonly #inbound: InboundQueue;
  /** Calls to make when the connection is closed. A list, because a signal and its listeners take a kilobyte for each idle socket. */
  #whenClosed: readonly (() => void)[] | undefined = [];
  #closedWith: CloseCode | undefined;
  #missedPings = 0;

  constructor(socket: WebSocket, platform: Platform, limits?: OutboundLimits) {
    this.#socket = socket;
    this.#platform = platform;
    this.#outbound = new OutboundQueue(socket, limits);
    this.#inbound = new InboundQueue(socket);
    socket.on('message', (data, isBinary) => this.#inbound.push(isBinary ? { binary: true } : { text: textOf(data) }));
    socket.on('pong', () => (this.#missedPings = 0));
    // errors of broken frames and lost connections are ignored, because `close` follows
    socket.on('error', () => {});
    socket.on('close', () => this.#end());
  }

  /** True if the connection was closed, by either side. */
  get isClosed(): boolean {
    return this.#whenClosed === undefined;
  }

  /** Calls `work` once, when the connection is closed by either side; at once if it is closed already. */
  whenClosed(work: () => void): void {
    if (this.#whenClosed) this.#whenClosed = this.#whenClosed.concat(work);
    else work();
  }

  /** The code with which this side closed the connection; `undefined` while it is open, and if the peer closed it. */
  get closedWith(): CloseCode | undefined {
    return this.#closedWith;
  }

  /** Maximum bytes of a frame. */
  get maxFrame(): number {
    return this.#outbound.maxFrame;
  }

  /**
   * Sends a text frame after those before it. Returns false when the connection is closed. Closes the connection when the frame is
   * too large, or when too many bytes wait for a peer that does not read.
   */
  send(frame: Buffer): boolean {
    if (this.isClosed) return false;
    const overflow = this.#outbound.admit(frame);
    if (overflow) this.close(OVERFLOWS[overflow]);
    return overflow === undefined;
  }

  /** True while the peer reads too slowly to get dispensable frames. */
  get isBehind(): boolean {
    return this.#outbound.isFull;
  }

  /** Resolves when the peer has taken most of the sent frames, or the connection is closed. */
  drained(): Promise<void> {
    return this.#outbound.drained();
  }

  /** Resolves with the peer's next frame; `undefined` when the connection is closed. */
  receive(): Promise<InboundFrame | undefined> {
    return this.#inbound.next();
  }

  /** Hands each frame of the peer from now on to `take`, one at a time, which must not reject. */
  eachFrame(take: TakeFrame): void {
    this.#inbound.each(take);
  }

  /**
   * Closes the connection and drops frames that wait. Idempotent.
   * @param timeout milliseconds that the peer has to answer
   */
  close(closeCode: CloseCode, timeout: number = CLOSE_TIMEOUT): void {
    if (this.isClosed) return;
    this.#closedWith = closeCode;
    this.#end();
    const { code, reason } = closeCode;
    const terminate = (): void => this.#socket.terminate();
    const timer = this.#platform.setTimer(timeout, terminate, { background: true });
    this.#socket.once('close', () => timer.cancel());
    this.#socket.close(code, reason);
  }

  /** Pings the peer. A peer that missed two pings in a row is disconnected. */
  ping(): void {
    // a paused peer answers when its frames are read again
    if (this.#inbound.paused) return;
    if (this.#missedPings >= 2) return this.#terminate();
    this.#missedPings++;
    this.#socket.ping(undefined, undefined, ignore);
  }

  #terminate(): void {
    this.#end();
    this.#socket.terminate();
  }

  #end(): void {
    this.#outbound.close();
    this.#inbound.end();
    const told = this.#whenClosed ?? [];
    this.#whenClosed = undefined;
    for (const tell of told) tell();
  }
}

function textOf(data: RawData): string {
  if (Array.isArray(data)) return Buffer.concat(data).toString('utf8');
  return Buffer.isBuffer(data) ? data.toString('utf8') : Buffer.from(data).toString('utf8');
}

function ignore(): void {}
