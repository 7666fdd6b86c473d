import { createHash, timingSafeEqual } from 'node:crypto';

import { systemPlatform, type Platform } from '@conv/core/platform';
import { checkedHosts } from '@conv/egress';

import { AuthRecord, settled, type AuthState } from './auth-record.ts';
import type { AuthRequests } from './auth-requests.ts';
import type { McpAuthorization } from './authorization.ts';
import { checkRecords } from './check-authorization.ts';
import { ServerFault } from './server-fault.ts';

/** Milliseconds after which a login whose code was sent counts as lost with its process. */
const REDEEMING = 60_000;
const STATE = /^([\w-]{43})\.[\w-]{43}$/;

/** The end of a login at an MCP server. */
export interface FinishedMcpLogin {
  /** True if the access is stored. A call that waits for it goes on by itself. */
  readonly ok: boolean;
  /** A sentence for the person at the browser. */
  readonly message: string;
}

/**
 * Ends a login: redeems the code with which a browser came back to the `redirectUrl`. Each login ends once; a second visit, an unknown one and
 * a late one change nothing. Rejects as the records do.
 *
 * @param callback - The address that the browser came back to, with its query.
 * @example
 * ```ts
 * import { finishMcpLogin, type McpAuthorization } from '@conv/tools';
 *
 * export async function callback(auth: McpAuthorization, request: Request): Promise<Response> {
 *   const { ok, message } = await finishMcpLogin(auth, new URL(request.url));
 *   return new Response(message, { status: ok ? 200 : 400 });
 * }
 * ```
 */
export async function finishMcpLogin(
  authorization: Pick<McpAuthorization, 'records' | 'hosts'>,
  callback: URL,
  { platform = systemPlatform }: { readonly platform?: Platform } = {},
): Promise<FinishedMcpLogin> {
  checkRecords('finishMcpLogin', authorization);
  checkedHosts('finishMcpLogin: hosts', authorization.hosts);
  // without the value, which holds a code
  if (typeof (callback as Partial<URL> | undefined)?.searchParams?.get !== 'function')
    throw new TypeError('finishMcpLogin: callback: expected a URL, such as new URL(request.url)');
  const { searchParams: query } = callback;
  const given = query.get('state') ?? '';
  const key = STATE.exec(given)?.[1];
  if (key === undefined) return UNKNOWN;
  const record = new AuthRecord(authorization.records, key, '');
  // invariant: the login is marked as used before its code is sent, so a code is sent once
  let isTaken = false;
  const taken = await record.change((state) => {
    isTaken = isOpen(state, given, platform.now());
    const expiresAt = platform.now() + REDEEMING;
    return isTaken && state.login ? { ...state, login: { ...state.login, isUsed: true, expiresAt } } : undefined;
  });
  const { issuer, login } = taken;
  const client = login?.client ?? taken.client;
  if (!isTaken || !issuer || !client || !login) return UNKNOWN;
  const { AuthRequests: Requests } = await import('./auth-requests.ts');
  const requests = new Requests({ platform, hosts: [...(authorization.hosts ?? []), new URL(taken.url).host] });
  const end = async (change: (state: AuthState) => AuthState): Promise<boolean> => {
    let isLast = false;
    await record.change((state) => {
      isLast = state.login?.state === given;
      return isLast ? change(without(state)) : undefined;
    });
    return isLast;
  };
  try {
    const tokens = await redeemed(requests, { issuer, client: client.info }, query, login);
    // a renewal that is on must not replace the new tokens by those of the login before
    const isStored = await end((state) => ({ ...settled(state), client, tokens: { scope: login.scope, ...tokens } }));
    if (!isStored) return REPLACED;
    return { ok: true, message: 'Access is granted. You can close this page.' };
  } catch (error) {
    if (!(error instanceof ServerFault)) throw error;
    await end((state) => ({ ...state, failure: { state: given, reason: error.message } }));
    return { ok: false, message: `The login failed: ${error.message}.` };
  } finally {
    await requests.close();
  }
}

const UNKNOWN: FinishedMcpLogin = {
  ok: false,
  message: 'This login is not known here, was used before, or took too long. Begin it again.',
};

const REPLACED: FinishedMcpLogin = {
  ok: false,
  message: 'Another login has taken the place of this one. Open the address of that one.',
};

function redeemed(
  requests: AuthRequests,
  at: Parameters<AuthRequests['exchange']>[0],
  query: URLSearchParams,
  { verifier, redirectUrl }: NonNullable<AuthState['login']>,
): ReturnType<AuthRequests['exchange']> {
  const code = query.get('code');
  const iss = query.get('iss') ?? undefined;
  if (iss !== undefined && iss !== at.issuer.metadata.issuer)
    throw new ServerFault('refused', 'the answer came from another authorization server');
  if (query.has('error') || code === null || code === '')
    throw new ServerFault(
      'refused',
      query.get('error') === 'access_denied' ? 'access was denied' : 'no access was granted',
    );
  return requests.exchange(at, { code, iss, verifier, redirectUrl });
}

function isOpen({ login }: AuthState, given: string, now: number): boolean {
  return login !== undefined && !login.isUsed && login.expiresAt > now && isSame(login.state, given);
}

function isSame(one: string, other: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}

function without(state: AuthState): AuthState {
  const { login: _, failure: __, ...others } = state;
  return others;
}
