import type { IncomingMessage } from 'node:http';
import { checkOptionNames, type OptionNames } from '@conv/core';
import { systemPlatform, type Platform } from '@conv/core/platform';
import type { FastifyInstance } from 'fastify';

import { AccessKeys, AUTH_OPTIONS, type AuthOptions } from './auth/access-keys.ts';
import { addCrossOrigin, type CorsOptions, OriginRules } from './auth/cross-origin.ts';
import { GuessLimit } from './auth/guess-limit.ts';
import { refusalFor } from './auth/principal.ts';
import { addAuthentication } from './auth/route-auth.ts';
import { SessionTickets } from './auth/session-tickets.ts';
import { checkAccess } from './check-server-options.ts';
import { addFallbacks, type ReportFailure } from './http/fallbacks.ts';
import { readJsonBodies } from './http/read-json.ts';
import { addSafeHeaders } from './http/safe-headers.ts';
import { serveSession } from './routes/serve-session.ts';
import { judgeUpgrade } from './sockets/socket-auth.ts';

/** Options of {@link guardAccess}. */
export interface AccessGuardOptions extends AuthOptions {
  readonly cors?: CorsOptions;
  /** Receives failures of the server itself, with the error id that the client got. */
  readonly report: ReportFailure;
  /** Clock and ids. Default: those of the host. */
  readonly platform?: Platform;
}

const OPTIONS: OptionNames<AccessGuardOptions> = {
  ...AUTH_OPTIONS,
  cors: true,
  report: true,
  platform: true,
};

/** The checks of {@link guardAccess} for code outside routes. */
export interface AccessGuard {
  /** Returns a one-use ticket for a start link, as `issueTicket` of an agent server does. */
  readonly issueTicket: (key: string) => string;
  /**
   * Resolves with true if an upgrade request shows a key with the scope `admin`, or the session cookie of one from a page of this server, under its own
   * host name.
   */
  readonly admits: (request: IncomingMessage) => Promise<boolean>;
}

/**
 * Protects the routes of a Fastify instance as an agent server protects its own: keys and session cookies, `Origin`, `Sec-Fetch-Site` and
 * `Host`, limits of guesses, security headers. Serves `/api/auth/session`. For a server that stands in front of another. Call it
 * before the routes are registered; a route with `config: { auth: 'none' }` is open. Throws a `TypeError` for an option that it does not
 * have: a misspelt name of the keys would leave the routes open.
 */
export function guardAccess(app: FastifyInstance, options: AccessGuardOptions): AccessGuard {
  checkOptionNames('guardAccess', options, OPTIONS);
  checkAccess('guardAccess', options);
  const { platform = systemPlatform, cors, report } = options;
  const keys = new AccessKeys(options);
  const guesses = new GuessLimit(platform);
  const tickets = new SessionTickets(platform);
  const auth = { keys, guesses, origins: new OriginRules(cors, keys.required) };
  addSafeHeaders(app);
  readJsonBodies(app);
  addFallbacks(app, { platform, report });
  addCrossOrigin(app, cors, keys);
  addAuthentication(app, { keys, guesses });
  serveSession(app, { keys, guesses, tickets });
  return {
    issueTicket: (key) => tickets.issue(key),
    admits: async (request) => {
      const verdict = await judgeUpgrade(auth, request);
      // as a route of the host, which names no scope
      return typeof verdict === 'object' && refusalFor(verdict.caller, 'admin') === undefined;
    },
  };
}
