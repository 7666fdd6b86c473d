import type { DeferredInit } from '@conv/server';
import type { Logger } from 'pino';

import type { PassedPort } from './http-app.ts';
import type { LivingVaults } from './living-vaults.ts';
import type { Tracing } from './tracing/export-spans.ts';

/** A running server. */
export interface RunningServer {
  /** The URL at which the server listens, such as `http://127.0.0.1:8000`. */
  readonly url: string;
  /** The token of a server without keys, if this start made it. No later start shows it. */
  readonly token: string | undefined;
  /**
   * Returns a link with a new one-use ticket, with which a browser gets a session; `undefined` if no key is known in plain text. It
   * opens studio if the server serves it.
   */
  startLink(): string | undefined;
  /** Leaves runs to the next start, stores everything, closes all connections and sends the remaining traces. Idempotent. */
  close(): Promise<void>;
}

/** Observers of a server's work. */
export interface Watchers {
  readonly log: Logger;
  /** The vaults whose values the log hides. */
  readonly vaults: LivingVaults;
  readonly tracing?: Tracing | undefined;
  /** Told of each request with a key. */
  readonly visited?: (() => void) | undefined;
}

/** The server that waited for its configuration, whose place a server takes. */
export interface Waited {
  readonly port: PassedPort;
  readonly init: DeferredInit;
  /** Aborted when the server that waits stops: the next one then takes no place, and ends what it has begun. */
  readonly signal: AbortSignal;
}
