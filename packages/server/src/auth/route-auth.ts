import { WORKSPACE_COOKIE, type RouteAuth } from '@conv/protocol';
import type { FastifyInstance, FastifyRequest } from 'fastify';

import type { AccessKeys } from './access-keys.ts';

/** Which keys open what. */
export interface RouteKeys {
  readonly session: AccessKeys;
  /** For a server that is initialised later. Default: those of `session`. */
  readonly init?: AccessKeys;
}

/**
 * Asks every caller of a route for its key before anything of the request is read; the answer to one without is 401. What a route asks
 * for is in its `config.auth`: a session key unless it says otherwise, so that a route which says nothing is not open.
 */
export function addAuthentication(app: FastifyInstance, keys: RouteKeys): void {
  app.addHook('onRequest', async (request, reply) => {
    if (request.is404 || isAllowed(request, request.routeOptions.config.auth ?? 'session', keys)) return;
    await reply.code(401).send({ detail: 'Unauthorized' });
  });
}

function isAllowed(request: FastifyRequest, auth: RouteAuth, { session, init = session }: RouteKeys): boolean {
  switch (auth) {
    case 'none':
      return true;
    case 'session':
      return session.accepts(sessionKeyOf(request));
    case 'workspace':
      return session.accepts(sessionKeyOf(request)) || session.accepts(cookie(request));
    case 'bearer':
      return session.accepts(bearer(request));
    case 'init':
      return init.accepts(header(request, 'x-init-api-key'));
  }
}

/** The key of a caller of a route that takes session keys. */
export function sessionKeyOf(request: FastifyRequest): string | undefined {
  return header(request, 'x-session-api-key');
}

function header({ headers }: FastifyRequest, name: string): string | undefined {
  return [headers[name]].flat()[0];
}

function bearer(request: FastifyRequest): string | undefined {
  return /^bearer +(\S+) *$/i.exec(header(request, 'authorization') ?? '')?.[1];
}

/** A browser sends no header for the pages of a workspace. */
function cookie(request: FastifyRequest): string | undefined {
  const pairs = (header(request, 'cookie') ?? '').split(';').map((pair) => pair.trim());
  const value = pairs.find((pair) => pair.startsWith(`${WORKSPACE_COOKIE}=`))?.slice(WORKSPACE_COOKIE.length + 1);
  try {
    return value === undefined ? undefined : decodeURIComponent(value);
  } catch {
    return value;
  }
}
