import type { Platform } from '@conv/core/platform';

import { ServerFailure } from './server-failure.ts';

/** Makes the connections of sockets: an `Agent` of `node:http` or `node:https`, or of a package for proxies. Their common shape, so no type of Node is needed. */
export interface SocketAgent {
  /** Maximum number of connections to one server at the same time. */
  readonly maxSockets: number;
  /** Closes the connections that it holds. */
  destroy(): void;
}

/** Settings to open a socket with. */
export interface SocketConnection {
  readonly platform: Platform;
  readonly headers: Readonly<Record<string, string>>;
  readonly agent: SocketAgent | undefined;
  readonly ca: string | readonly string[] | undefined;
  /** Milliseconds between pings; after two without an answer the socket is closed. */
  readonly heartbeat: number;
  /** Returns a text of the server without the secrets that it was sent. */
  readonly mask: (text: string) => string;
}

export interface SocketEvents {
  /** Called with each text frame that is JSON; other frames are ignored. */
  readonly frame: (frame: unknown) => void;
  /**
   * Called once per silence, when a ping stays unanswered for some seconds. The connection stays open. Never called in browsers,
   * because they hide pings.
   */
  readonly silent: () => void;
  /** Called once with the end, whatever its cause. */
  readonly ended: (end: SocketEnd) => void;
}

export interface SocketEnd {
  /** The code of the close frame; 1006 when there was none. */
  readonly code: number;
  readonly reason: string;
  /** The status of the answer that refused the socket. */
  readonly refused: number | undefined;
  readonly failure: ServerFailure;
}

/** Facts about a socket that ended. */
export interface EndFacts {
  readonly code: number;
  readonly reason: string;
  readonly refused?: number | undefined;
  readonly cause?: unknown;
}

/** Returns the end of a socket to `url`, with the failure that its users see. */
export function socketEnd(url: URL, { code, reason, refused, cause }: EndFacts): SocketEnd {
  const message = `${url.origin}${url.pathname}: closed with ${code}${reason === '' ? '' : ` ${reason}`}`;
  const about = { sent: true, detail: reason, ...(refused === undefined ? {} : { status: refused }) };
  return { code, reason, refused, failure: new ServerFailure(message, about, { cause }) };
}

/** Returns the JSON of a frame; `undefined` for an incomplete frame, whose event is read again. */
export function parseFrame(text: string): { readonly frame: unknown } | undefined {
  try {
    return { frame: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}
