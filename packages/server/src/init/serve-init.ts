import { serverRoutes, type Route } from '@conv/openhands/rest';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import { addressOf } from '../auth/caller.ts';
import type { GuessLimit } from '../auth/guess-limit.ts';
import { tooManyGuesses } from '../auth/route-auth.ts';
import { ApiError } from '../http/api-error.ts';
import { serveRoute } from '../http/serve-route.ts';
import type { DeferredInit } from './deferred-init.ts';

const { getInitStatus, initialize } = serverRoutes;

/** The header with the key of a request that configures a server. */
const KEY_HEADER = 'x-init-api-key';

interface Verdict {
  /** True if the request shows the key. */
  readonly isRight: boolean;
  /** Seconds that its address has to wait after too many wrong keys; 0 for none. */
  readonly wait: number;
}

/** Serves the routes of a server that a request configures. `guesses`: makes addresses wait that show wrong keys. */
export function serveInit(app: FastifyInstance, init: DeferredInit, guesses: GuessLimit): void {
  // a wrong key counts at both routes, so that neither helps to guess
  const judge = ({ raw, headers }: FastifyRequest): Verdict => {
    const shown = headers[KEY_HEADER];
    const address = addressOf(raw);
    const wait = guesses.wait(address);
    if (wait > 0) return { isRight: false, wait };
    if (typeof shown !== 'string') return { isRight: false, wait: 0 };
    const isRight = init.accepts(shown);
    if (isRight) guesses.right(address);
    else guesses.wrong(address, shown);
    return { isRight, wait: 0 };
  };
  // the key is checked before anything of the body is read
  app.addHook('onRequest', async (request, reply) => {
    if (request.routeOptions.config.route !== (initialize as unknown as Route)) return undefined;
    const { isRight, wait } = judge(request);
    if (isRight) return undefined;
    return wait > 0 ? tooManyGuesses(reply, wait) : reply.code(401).send({ detail: 'Unauthorized' });
  });
  serveRoute(app, getInitStatus, ({ request }) => (judge(request).isRight ? init.status : init.publicStatus));
  serveRoute(app, initialize, ({ body }) => init.initialize(body));
}

/**
 * Serves the same routes on a server that was configured when it started. `isEncrypting`: it has a secret key, so that a request without any key is
 * refused with 401. No key is compared: it would open nothing, and the answer would help to guess the secret key.
 */
export function serveNoInit(app: FastifyInstance, isEncrypting: boolean): void {
  const absent = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const isCommand = request.routeOptions.config.route === (initialize as unknown as Route);
    if (isCommand && isEncrypting && request.headers[KEY_HEADER] === undefined)
      return reply.code(401).send({ detail: 'Unauthorized' });
    throw new ApiError(404, 'server is not running with deferred_init=True; the /api/init endpoint is not available');
  };
  // nothing of the body is read
  for (const route of [getInitStatus, initialize] as readonly Route[])
    app.route({
      method: route.method,
      url: route.path,
      config: { auth: route.auth, route },
      onRequest: absent,
      handler: absent,
    });
}
