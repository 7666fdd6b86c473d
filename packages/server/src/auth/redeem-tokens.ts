import type { FastifyInstance, FastifyReply } from 'fastify';

import type { AccessKeys } from './access-keys.ts';
import { addressOf } from './caller.ts';
import { sessionCookieFor } from './cookies.ts';
import type { GuessLimit } from './guess-limit.ts';

/**
 * Exchanges the key in the link `/?token=…` for a session cookie, and redirects the browser to `/` without the key. The cookie is
 * not the key. Browsers send it for pages of this server only, and pages cannot read it.
 */
export function redeemTokens(
  app: FastifyInstance,
  { keys, guesses }: { readonly keys: AccessKeys; readonly guesses: GuessLimit },
): void {
  app.addHook('onRequest', async (request, reply) => {
    const [path = '', query = ''] = request.url.split(/\?(.*)/s);
    if (path !== `${app.prefix}/` || request.method !== 'GET') return undefined;
    const token = new URLSearchParams(query).get('token');
    if (token === null || !keys.required) return undefined;
    void reply.headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
    const address = addressOf(request.raw);
    const wait = guesses.wait(address);
    if (wait > 0) return reply.code(429).header('retry-after', wait).send({ detail: 'Too many wrong keys' });
    if (keys.of(token) === undefined) return refuse(reply, () => guesses.wrong(address, token));
    guesses.right(address);
    return reply.header('set-cookie', sessionCookieFor(token, request.headers)).redirect('./', 303);
  });
}

function refuse(reply: FastifyReply, told: () => void): FastifyReply {
  told();
  return reply.code(401).send({ detail: 'The link is not valid any more: `npm run server -- token` makes another' });
}
