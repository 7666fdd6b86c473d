import type { OptionNames } from '@conv/core';
import type { Platform } from '@conv/core/platform';

import type { CorsOptions } from './auth/cross-origin.ts';
import type { DeferredInit } from './init/deferred-init.ts';
import type { ServedProtocol } from './protocols/served-protocol.ts';
import type { ServerAbout } from './routes/serve-server-info.ts';

/** Options of `waitingServer`. */
export interface WaitingServerOptions {
  /** The configuration by a request. Give the same object to the `agentServer` that takes its place. */
  readonly init: DeferredInit;
  readonly cors?: CorsOptions;
  /** Information that the server gives about itself. */
  readonly about?: ServerAbout;
  /** Protocols that the server will speak beside its own routes. Default: none. */
  readonly protocols?: readonly ServedProtocol[];
  /** Receives the server's own failures. Must not throw. */
  readonly report: (error: unknown, about: { readonly doing: string }) => void;
  /** Clock, timers and ids. Default: those of the host. */
  readonly platform?: Platform;
}

/** The names of the options. */
export const WAITING_SERVER_OPTIONS: OptionNames<WaitingServerOptions> = {
  init: true,
  cors: true,
  about: true,
  protocols: true,
  report: true,
  platform: true,
};
