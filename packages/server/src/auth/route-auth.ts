import { WORKSPACE_COOKIE, type RouteAuth } from '@conv/openhands/rest';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import { conversationIn } from '../http/conversation-in.ts';
import type { AccessKeys } from './access-keys.ts';
import { addressOf, checkStillValid, setCaller } from './caller.ts';
import { checkRights, type CheckKnown } from './check-rights.ts';
import { cookieIn, sessionCookieOf } from './cookies.ts';
import type { GuessLimit } from './guess-limit.ts';
import { isOwnPage } from './own-page.ts';
import type { SessionTickets } from './session-tickets.ts';
import type { Caller } from './principal.ts';
import type { Vouchers } from './vouchers.ts';

export interface AuthenticationDeps {
  readonly keys: AccessKeys;
  readonly guesses: GuessLimit;
  /** Returns the caller that another server of the fleet vouches for, after it authenticated the caller. Default: no such server. */
  readonly peer?: ((request: FastifyRequest) => Caller | undefined) | undefined;
  /** Vouchers of callers of protocols. Default: there are none. */
  readonly vouchers?: Vouchers | undefined;
  /** Tickets for routes with `auth: 'stream'`. Default: there are none. */
  readonly streamTickets?: Pick<SessionTickets, 'redeem'> | undefined;
  /** Rejects `NOT_FOUND` for a conversation that the caller may not know. Default: all conversations are known to all callers. */
  readonly checkKnown?: CheckKnown | undefined;
}

/**
 * Authenticates the caller of every route before any of the request is read. Answers 401 without a valid key, and 429 while the
 * address has to wait; a ticket is never made to wait. A route's `config.auth` names its authentication. Default: a session key, so that no
 * route is open by accident. Then answers 404 for a conversation that the caller may not know, as for an unknown id, and 403 for a caller
 * without the scopes of the route, or `config.scope` for a route beside the table of routes.
 */
export function addAuthentication(app: FastifyInstance, deps: AuthenticationDeps): void {
  app.addHook('onRequest', async (request, reply) => {
    // a route of the host that names no scope is for callers with the most rights
    const { auth = 'session', route, scope = route?.scope ?? 'admin' } = request.routeOptions.config;
    if (request.is404 || auth === 'none') return;
    const address = addressOf(request.raw);
    const shown = auth === 'bearer' ? bearer(request) : shownKeyOf(request, deps.keys, auth);
    const wait = shown === undefined ? 0 : deps.guesses.wait(address);
    if (wait > 0) return tooManyGuesses(reply, wait);
    const ticket = auth === 'stream' && shown === undefined ? ticketIn(request) : undefined;
    // a key in place of a ticket opens nothing, because addresses end up in logs
    const key = ticket === undefined ? shown : (deps.streamTickets?.redeem(ticket) ?? '');
    const vouched = deps.peer?.(request);
    const rights = deps.vouchers?.rightsIn(request.headers);
    const again = async (): Promise<Caller | undefined> =>
      vouched ?? (rights ? rights() : callerBy(key, request, auth, deps.keys));
    const caller = await again();
    // a ticket is too long to be guessed, and an EventSource comes back with its used ticket
    if (shown !== undefined && deps.keys.required)
      if (caller) deps.guesses.right(address);
      else deps.guesses.wrong(address, shown);
    if (!caller) return reply.code(401).send({ detail: 'Unauthorized' });
    const cookie = isOwnPage(request.headers) ? sessionCookieOf(request.headers) : undefined;
    const kept = vouched || rights ? undefined : () => deps.keys.keep(key, cookie);
    setCaller(request, { caller, again, kept });
    const { texts } = request.routeOptions.config;
    const use = { scope, texts, conversationId: conversationIn(request), allConversations: route?.allConversations };
    await checkRights(caller, use, deps.checkKnown);
    return undefined;
  });
  app.addHook('preHandler', async (request) => {
    if (request.body !== undefined) await checkStillValid(request);
  });
}

/** Browsers send cookies with every request, whichever page causes it, so a session cookie counts for own pages alone. */
async function callerBy(
  key: string | undefined,
  request: FastifyRequest,
  auth: RouteAuth | 'protocol',
  keys: AccessKeys,
): Promise<Caller | undefined> {
  const caller = await keys.of(key);
  if (caller || key !== undefined || auth === 'bearer') return caller;
  const { headers } = request;
  if (auth === 'workspace') {
    const workspace = keys.ofCookie('workspace', cookieIn(headers, WORKSPACE_COOKIE));
    if (workspace) return workspace;
  }
  return isOwnPage(headers) ? keys.ofCookie('session', sessionCookieOf(headers)) : undefined;
}

/** Answers an address that showed too many wrong keys. `wait`: seconds. */
export function tooManyGuesses(reply: FastifyReply, wait: number): FastifyReply {
  return reply
    .code(429)
    .header('retry-after', wait)
    .send({ detail: 'Too many wrong keys; try again after the seconds in Retry-After' });
}

/**
 * The key of a caller, or its token where tokens are taken: elsewhere a proxy may send one for itself, beside a cookie. Clients of other
 * protocols show their key as a token.
 */
function shownKeyOf(
  request: FastifyRequest,
  { takesTokens }: AccessKeys,
  auth: RouteAuth | 'protocol',
): string | undefined {
  return sessionKeyOf(request) ?? (takesTokens || auth === 'protocol' ? bearer(request) : undefined);
}

/** The key of a caller of a route that takes session keys. */
export function sessionKeyOf(request: FastifyRequest): string | undefined {
  return header(request, 'x-session-api-key');
}

function header({ headers }: FastifyRequest, name: string): string | undefined {
  return [headers[name]].flat()[0];
}

/** The ticket in the address of a stream. */
function ticketIn({ query }: FastifyRequest): string | undefined {
  const { ticket } = Object(query) as { readonly ticket?: unknown };
  return typeof ticket === 'string' && ticket !== '' ? ticket : undefined;
}

function bearer(request: FastifyRequest): string | undefined {
  return /^bearer +(\S+) *$/i.exec(header(request, 'authorization') ?? '')?.[1];
}
