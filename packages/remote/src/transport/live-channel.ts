import { ConversationError } from '@conv/core';
import { Backoff, type BackoffOptions, type Timer } from '@conv/core/platform';

import { toConversationError } from './server-failure.ts';
import { ServerSocket } from './server-socket.ts';
import type { SocketConnection, SocketEnd } from './socket-end.ts';

export interface LiveChannelParts {
  /** Returns the address to connect to; called before each attempt, because the cursor moves. */
  readonly url: () => URL;
  readonly connection: SocketConnection;
  readonly backoff: BackoffOptions;
  readonly conversationId: string;
  readonly frame: (frame: unknown) => void;
  /** Called when the server leaves a ping unanswered. */
  readonly silent: () => void;
  /** Called when a connection has ended and another one will be tried. `heard`: something came over it. */
  readonly lost: (end: SocketEnd, heard: boolean) => void;
  /** Called when the server refuses every further attempt. */
  readonly refused: (error: ConversationError) => void;
}

type Link =
  | { readonly state: 'closed' }
  | { readonly state: 'waiting'; readonly timer: Timer }
  | { readonly state: 'connected'; readonly socket: ServerSocket; readonly since: number };

/** Close codes after which every further attempt would end the same way. */
const FINAL_CODES: Readonly<Record<number, 'DENIED' | 'NOT_FOUND'>> = {
  4001: 'DENIED',
  4003: 'DENIED',
  4004: 'NOT_FOUND',
};
const FINAL_STATUSES: Readonly<Record<number, 'DENIED' | 'NOT_FOUND'>> = {
  401: 'DENIED',
  403: 'DENIED',
  404: 'NOT_FOUND',
};

/** Milliseconds after which a connection with at least one frame counts as a success. */
const STABLE = 1_000;

/** Maximum delay in milliseconds after a connection with at least one frame. */
const SOON = 2_000;

/**
 * A socket that reconnects after every end but a final one, with a growing delay. Only a connection that lasted resets the delay; a
 * connection that the server accepts and closes at once does not.
 */
export class LiveChannel {
  readonly #parts: LiveChannelParts;
  readonly #delays: Backoff;
  #link: Link = { state: 'closed' };
  #heard = false;

  constructor(parts: LiveChannelParts) {
    this.#parts = parts;
    this.#delays = new Backoff(parts.connection.platform, parts.backoff);
  }

  open(): void {
    const { url, connection, frame, silent } = this.#parts;
    this.#heard = false;
    const socket = new ServerSocket(url(), connection, {
      frame: (value) => {
        this.#heard = true;
        frame(value);
      },
      silent,
      ended: (end) => this.#ended(end),
    });
    this.#link = { state: 'connected', socket, since: this.#parts.connection.platform.monotonic() };
  }

  /** Closes it for good. Idempotent. */
  close(): void {
    const link = this.#link;
    this.#link = { state: 'closed' };
    if (link.state === 'waiting') link.timer.cancel();
    if (link.state === 'connected') link.socket.close();
  }

  #ended(end: SocketEnd): void {
    if (this.#link.state === 'closed') return;
    const code = FINAL_CODES[end.code] ?? (end.refused === undefined ? undefined : FINAL_STATUSES[end.refused]);
    if (code) {
      this.#link = { state: 'closed' };
      this.#parts.refused(refusal(code, end, this.#parts.conversationId));
      return;
    }
    const timer = this.#parts.connection.platform.setTimer(this.#delay(), () => this.open());
    this.#link = { state: 'waiting', timer };
    this.#parts.lost(end, this.#heard);
  }

  #delay(): number {
    if (!this.#heard) return this.#delays.next();
    const lasted =
      this.#link.state === 'connected' ? this.#parts.connection.platform.monotonic() - this.#link.since : 0;
    if (lasted >= STABLE) this.#delays.reset();
    return Math.min(SOON, this.#delays.next());
  }
}

function refusal(code: 'DENIED' | 'NOT_FOUND', { failure }: SocketEnd, conversationId: string): ConversationError {
  const error = toConversationError(failure, conversationId);
  return error.code === code ? error : new ConversationError(code, failure.message, { cause: failure, conversationId });
}
