import { ConversationError } from '@conv/core';

import { Backoff, type BackoffOptions } from './backoff.ts';
import { toConversationError } from './server-failure.ts';
import { ServerSocket, type SocketConnection, type SocketEnd } from './server-socket.ts';

/** What a channel is made of. */
export interface LiveChannelParts {
  /** Where to connect now: asked before each try, for the cursor moves. */
  readonly url: () => URL;
  readonly connection: SocketConnection;
  readonly backoff: BackoffOptions;
  readonly conversationId: string;
  readonly frame: (frame: unknown) => void;
  /** A connection ended and another one will be tried. */
  readonly lost: (end: SocketEnd) => void;
  /** The server wants no further try. */
  readonly refused: (error: ConversationError) => void;
}

type Link =
  | { readonly state: 'closed' }
  | { readonly state: 'waiting'; readonly timer: NodeJS.Timeout }
  | { readonly state: 'connected'; readonly socket: ServerSocket };

/** Close codes after which every further try would end the same way. */
const FINAL_CODES: Readonly<Record<number, 'DENIED' | 'NOT_FOUND'>> = { 4001: 'DENIED', 4004: 'NOT_FOUND' };
const FINAL_STATUSES: Readonly<Record<number, 'DENIED' | 'NOT_FOUND'>> = {
  401: 'DENIED',
  403: 'DENIED',
  404: 'NOT_FOUND',
};

/**
 * A socket that comes back: after every end but a final one it is opened again, later each time. A server that accepts and closes at
 * once is no success: the wait starts over only after a frame arrived.
 */
export class LiveChannel {
  readonly #parts: LiveChannelParts;
  readonly #delays: Backoff;
  #link: Link = { state: 'closed' };

  constructor(parts: LiveChannelParts) {
    this.#parts = parts;
    this.#delays = new Backoff(parts.backoff);
  }

  /** Opens it. */
  open(): void {
    const { url, connection, frame } = this.#parts;
    const socket = new ServerSocket(url(), connection, {
      frame: (value) => {
        this.#delays.reset();
        frame(value);
      },
      ended: (end) => this.#ended(end),
    });
    this.#link = { state: 'connected', socket };
  }

  /** Closes it for good. Idempotent. */
  close(): void {
    const link = this.#link;
    this.#link = { state: 'closed' };
    if (link.state === 'waiting') clearTimeout(link.timer);
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
    const timer = setTimeout(() => this.open(), this.#delays.next());
    this.#link = { state: 'waiting', timer };
    this.#parts.lost(end);
  }
}

function refusal(code: 'DENIED' | 'NOT_FOUND', { failure }: SocketEnd, conversationId: string): ConversationError {
  const error = toConversationError(failure, conversationId);
  return error.code === code ? error : new ConversationError(code, failure.message, { cause: failure, conversationId });
}
