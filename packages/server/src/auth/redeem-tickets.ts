import type { FastifyInstance } from 'fastify';

import { sessionCookieFor } from './cookies.ts';
import { exchangeForKey, type ExchangeDeps } from './exchange-for-key.ts';

/**
 * Exchanges the one-use ticket in the link `/?ticket=…` for a session cookie, and redirects the browser to `/` without the ticket. The
 * cookie is not the key. Browsers send it for pages of this server only, and pages cannot read it.
 */
export function redeemTickets(app: FastifyInstance, deps: ExchangeDeps): void {
  app.addHook('onRequest', async (request, reply) => {
    const [path = '', query = ''] = request.url.split(/\?(.*)/s);
    if (path !== `${app.prefix}/` || request.method !== 'GET') return undefined;
    const ticket = new URLSearchParams(query).get('ticket');
    if (ticket === null || !deps.keys.required) return undefined;
    void reply.headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
    const key = await exchangeForKey({ ticket }, request, reply, deps);
    return reply.header('set-cookie', sessionCookieFor(key, request.headers)).redirect('./', 303);
  });
}
