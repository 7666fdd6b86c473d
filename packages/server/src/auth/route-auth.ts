import { WORKSPACE_COOKIE, type RouteAuth } from '@conv/openhands/rest';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import type { Access, AccessKeys } from './access-keys.ts';
import { APPROVER_ROUTES } from './approver-routes.ts';
import { addressOf, setAccess } from './caller.ts';
import { cookieIn, sessionCookieOf } from './cookies.ts';
import type { GuessLimit } from './guess-limit.ts';
import { isOwnPage } from './own-page.ts';

export interface AuthenticationDeps {
  readonly keys: AccessKeys;
  readonly guesses: GuessLimit;
  /** Returns the rights that another server of the fleet vouches for, after it authenticated the caller. Default: no such server. */
  readonly peer?: ((request: FastifyRequest) => Access | undefined) | undefined;
}

/**
 * Authenticates the caller of every route before any of the request is read. Answers 401 without a valid key, and 429 while the
 * address has to wait. A route's `config.auth` names its authentication. Default: a session key, so that no route is open by
 * accident.
 */
export function addAuthentication(app: FastifyInstance, deps: AuthenticationDeps): void {
  app.addHook('onRequest', async (request, reply) => {
    const { auth = 'session', route } = request.routeOptions.config;
    if (request.is404 || auth === 'none') return;
    const address = addressOf(request.raw);
    const key = auth === 'bearer' ? bearer(request) : sessionKeyOf(request);
    const wait = key === undefined ? 0 : deps.guesses.wait(address);
    if (wait > 0) return tooManyGuesses(reply, wait);
    const access = accessBy(key, request, auth, deps);
    if (key !== undefined && deps.keys.required)
      if (access) deps.guesses.right(address);
      else deps.guesses.wrong(address, key);
    if (!access) return reply.code(401).send({ detail: 'Unauthorized' });
    setAccess(request, access);
    if (access !== 'approver' && APPROVER_ROUTES.has(route?.operationId ?? ''))
      return reply.code(403).send({
        detail: 'This needs the right to approve: show an approver key in X-Session-API-Key',
      });
    return undefined;
  });
}

/** Browsers send cookies with every request, whichever page causes it, so a session cookie counts for own pages alone. */
function accessBy(
  key: string | undefined,
  request: FastifyRequest,
  auth: RouteAuth,
  { keys, peer }: AuthenticationDeps,
): Access | undefined {
  const access = peer?.(request) ?? keys.of(key);
  if (access || key !== undefined || auth === 'bearer') return access;
  const { headers } = request;
  if (auth === 'workspace') {
    const workspace = keys.ofCookie('workspace', cookieIn(headers, WORKSPACE_COOKIE));
    if (workspace) return workspace;
  }
  return isOwnPage(headers) ? keys.ofCookie('session', sessionCookieOf(headers)) : undefined;
}

function tooManyGuesses(reply: FastifyReply, wait: number): FastifyReply {
  return reply.code(429).header('retry-after', wait).send({ detail: 'Too many wrong keys' });
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
