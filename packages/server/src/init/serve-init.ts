import { serverRoutes, type Route } from '@conv/openhands/rest';
import type { FastifyInstance, FastifyRequest } from 'fastify';

import { addressOf } from '../auth/caller.ts';
import type { GuessLimit } from '../auth/guess-limit.ts';
import { tooManyGuesses } from '../auth/route-auth.ts';
import { ApiError } from '../http/api-error.ts';
import { serveRoute } from '../http/serve-route.ts';
import type { DeferredInit } from './deferred-init.ts';

const { getInitStatus, initialize } = serverRoutes;

/** The header with the key of a request that configures a server. */
const KEY_HEADER = 'x-init-api-key';

/** Serves the routes of a server that a request configures. `guesses`: makes addresses wait that show wrong keys. */
export function serveInit(app: FastifyInstance, init: DeferredInit, guesses: GuessLimit): void {
  // the key is checked before anything of the body is read
  app.addHook('onRequest', async (request, reply) => {
    if (request.routeOptions.config.route !== (initialize as unknown as Route)) return undefined;
    const address = addressOf(request.raw);
    const wait = guesses.wait(address);
    if (wait > 0) return tooManyGuesses(reply, wait);
    const shown = request.headers[KEY_HEADER];
    if (typeof shown === 'string' && init.accepts(shown)) {
      guesses.right(address);
      return undefined;
    }
    if (typeof shown === 'string') guesses.wrong(address, shown);
    return reply.code(401).send({ detail: 'Unauthorized' });
  });
  // a wrong key counts here too, so that this route does not help to guess
  const mayRead = ({ raw, headers }: FastifyRequest): boolean => {
    const shown = headers[KEY_HEADER];
    const address = addressOf(raw);
    if (typeof shown !== 'string' || guesses.wait(address) > 0) return false;
    const right = init.accepts(shown);
    if (right) guesses.right(address);
    else guesses.wrong(address, shown);
    return right;
  };
  serveRoute(app, getInitStatus, ({ request }) => (mayRead(request) ? init.status : init.publicStatus));
  serveRoute(app, initialize, ({ body }) => init.initialize(body));
}

/** Serves the same routes on a server that was configured when it started. */
export function serveNoInit(app: FastifyInstance): void {
  for (const route of [getInitStatus, initialize] as readonly Route[])
    serveRoute(app, route, () => {
      throw new ApiError(404, 'server is not running with deferred_init=True; the /api/init endpoint is not available');
    });
}
