import { sessionRoutes } from '@conv/openhands/rest';
import type { FastifyInstance, FastifyRequest } from 'fastify';

import { accessOf, callerOf } from '../auth/caller.ts';
import type { Caller } from '../auth/principal.ts';
import type { Usage, UsedToday } from '../usage/usage.ts';
import { endedSessionCookie, sessionCookieFor } from '../auth/cookies.ts';
import { exchangeForKey, type ExchangeDeps } from '../auth/exchange-for-key.ts';
import { isOwnPage } from '../auth/own-page.ts';
import { sessionKeyOf } from '../auth/route-auth.ts';
import { ApiError } from '../http/api-error.ts';
import { serveRoute } from '../http/serve-route.ts';

interface SessionDeps extends ExchangeDeps {
  /** Resolves with what a caller has used today; `undefined` for a caller without daily limits. Default: nothing is counted. */
  readonly usedBy?: Usage['usedBy'];
}

/** A limit of a day, and what was used of it. */
interface Counted {
  readonly limit: number;
  readonly used: number;
}

/**
 * Gives a browser the session cookie in exchange for a key or a ticket, reports its rights, and deletes the cookie. The cookie is
 * not the key, pages cannot read it, and it is valid only for pages of this server.
 */
export function serveSession(app: FastifyInstance, deps: SessionDeps): void {
  serveRoute(app, sessionRoutes.openSession, async ({ body: { ticket }, request, reply }) => {
    requireOwnPage(request);
    // a server without keys sets no cookie
    if (!deps.keys.required) return;
    const key = sessionKeyOf(request);
    if (ticket === undefined && key === undefined) throw new ApiError(401, NOTHING_SHOWN);
    const shown = ticket === undefined ? { key: key ?? '' } : { ticket };
    const valid = await exchangeForKey(shown, request, reply, deps);
    void reply.header('set-cookie', sessionCookieFor(valid, request.headers));
  });
  serveRoute(app, sessionRoutes.getSession, async ({ request }) => {
    const caller = callerOf(request);
    const { name, scopes } = caller;
    const used = await deps.usedBy?.(caller);
    return { rights: accessOf(request), name, scopes: [...scopes], daily: used ? dailyOf(caller, used) : null };
  });
  serveRoute(app, sessionRoutes.closeSession, ({ request, reply }) => {
    requireOwnPage(request);
    void reply.header('set-cookie', endedSessionCookie(request.headers));
  });
}

function dailyOf(
  { daily }: Caller,
  { runs, cost, resetsAt }: UsedToday,
): { readonly runs: Counted | null; readonly cost: Counted | null; readonly resets_at: string } {
  return {
    runs: daily?.runs === undefined ? null : { limit: daily.runs, used: runs },
    cost: daily?.cost === undefined ? null : { limit: daily.cost, used: cost },
    resets_at: resetsAt,
  };
}

const NOTHING_SHOWN = 'Expected a key in X-Session-API-Key or a ticket in the body, found none';

/** Throws {@link ApiError} 403 for a page of another origin, which could otherwise choose the session of a person. */
function requireOwnPage({ headers }: FastifyRequest): void {
  if (!isOwnPage(headers)) throw new ApiError(403, 'Disallowed cross-site request; use a page of this server');
}
