import { conversationIn } from '@conv/server';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';

/** Routes that monitoring requests again and again. */
const WATCHING: ReadonlySet<string> = new Set(['/alive', '/health', '/ready', '/metrics', '/server_info']);

/** Statuses of requests that may be attempts to get in. */
const REFUSED: ReadonlySet<number> = new Set([401, 403, 429]);

/**
 * Logs a line for each answered request: its route without path or query, status, milliseconds and conversation; for a refused
 * request also the address. Never logs a header, a body or a client's text in the place of an id.
 */
export function logRequests(app: FastifyInstance, log: Logger): void {
  app.addHook('onResponse', async (request, { statusCode: status, elapsedTime }) => {
    const { method, routeOptions, is404 } = request;
    const route = is404 ? 'none' : (routeOptions.url ?? 'none');
    const from = REFUSED.has(status) ? { address: request.socket.remoteAddress } : {};
    const line = { method, route, status, ms: Math.round(elapsedTime), ...from, ...conversationOf(request) };
    if (WATCHING.has(route)) log.debug(line, 'request');
    else log.info(line, 'request');
  });
}

function conversationOf(request: FastifyRequest): { readonly conversation?: string } {
  const id = conversationIn(request);
  return id !== undefined && /^[\da-f-]{32,36}$/i.test(id) ? { conversation: id } : {};
}
