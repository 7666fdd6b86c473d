import { checkOptionNames } from '@conv/core';
import type { FastifyPluginAsync } from 'fastify';

import { DeferredInit } from './init/deferred-init.ts';
import { WAITING_SERVER_OPTIONS, type WaitingServerOptions } from './waiting-server-options.ts';

/**
 * Makes a server that waits for its configuration, as a Fastify plugin: `POST /api/init` gives it. Health, readiness and the information about the server
 * are served; every other route and every socket answers 503 with the state. Throws a `TypeError` for a wrong option.
 */
export function waitingServer(options: WaitingServerOptions): FastifyPluginAsync {
  checkOptionNames('waitingServer', options, WAITING_SERVER_OPTIONS);
  if (!(options.init instanceof DeferredInit))
    throw new TypeError('waitingServer: expected a DeferredInit as init, found none; make one with its key and start');
  return async (app) => {
    // imported here, because routes and their packages are needed only once there is a server
    const { serveWaiting } = await import('./serve-waiting.ts');
    serveWaiting(app, options);
  };
}
