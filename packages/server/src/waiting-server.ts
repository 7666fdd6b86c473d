import { checkOptionNames, type OptionNames } from '@conv/core';
import type { Platform } from '@conv/core/platform';
import type { FastifyPluginAsync } from 'fastify';

import type { CorsOptions } from './auth/cross-origin.ts';
import { DeferredInit } from './init/deferred-init.ts';
import type { ServedProtocol } from './protocols/served-protocol.ts';
import type { ServerAbout } from './routes/serve-server-info.ts';

/** Options of {@link waitingServer}. */
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

const OPTIONS: OptionNames<WaitingServerOptions> = {
  init: true,
  cors: true,
  about: true,
  protocols: true,
  report: true,
  platform: true,
};

/**
 * Makes a server that waits for its configuration, as a Fastify plugin: `POST /api/init` gives it. Health, readiness and the information about the server
 * are served; every other route and every socket answers 503 with the state. Throws a `TypeError` for a wrong option.
 */
export function waitingServer(options: WaitingServerOptions): FastifyPluginAsync {
  checkOptionNames('waitingServer', options, OPTIONS);
  if (!(options.init instanceof DeferredInit))
    throw new TypeError('waitingServer: expected a DeferredInit as init, found none; make one with its key and start');
  return async (app) => {
    // imported here, because routes and their packages are needed only once there is a server
    const { serveWaiting } = await import('./serve-waiting.ts');
    serveWaiting(app, options);
  };
}
