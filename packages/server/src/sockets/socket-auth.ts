import type { IncomingMessage } from 'node:http';
import type { Platform } from '@conv/core/platform';
import { AUTH_FRAME_TIMEOUT, authFrameSchema, CLOSE_CODES } from '@conv/openhands/sockets';

import type { AccessKeys } from '../auth/access-keys.ts';
import { addressOf } from '../auth/caller.ts';
import { sessionCookieOf } from '../auth/cookies.ts';
import type { OriginRules } from '../auth/cross-origin.ts';
import type { GuessLimit } from '../auth/guess-limit.ts';
import { isOwnOrigin } from '../auth/own-page.ts';
import { APPROVER, type Caller } from '../auth/principal.ts';
import type { Vouchers } from '../auth/vouchers.ts';
import type { SocketConnection } from './socket-connection.ts';

/** Dependencies of the check that decides who may open a socket. */
export interface SocketAuth {
  readonly keys: AccessKeys;
  readonly guesses: GuessLimit;
  readonly origins: OriginRules;
  /**
   * Returns the caller that another server of the fleet vouches for, after it authenticated the caller. Default: no such server.
   */
  readonly peer?: ((request: IncomingMessage) => Caller | undefined) | undefined;
  /** Vouchers of callers of protocols. Default: there are none. */
  readonly vouchers?: Vouchers | undefined;
}

/** A client of a socket. */
export interface Admitted {
  readonly caller: Caller;
  /** Resolves with what became of its rights; with `undefined` if its key is void now. */
  readonly again: () => Promise<Caller | undefined>;
}

/** The client of a server without keys. One for all, so that no socket keeps the headers of its request. */
const KEYLESS: Admitted = { caller: APPROVER, again: async () => APPROVER };

/** The client. `first-frame`: the upgrade showed no key, so the first frame has to. */
export type UpgradeVerdict = Admitted | 'refused' | 'first-frame';

/**
 * Checks the credentials of an upgrade request. A key in the query takes precedence over a key in a header. A cookie counts only
 * for a page of the server itself. Browsers let every page open sockets, so without keys only pages that may call are admitted.
 */
export async function judgeUpgrade(auth: SocketAuth, request: IncomingMessage): Promise<UpgradeVerdict> {
  const { keys, origins, guesses, peer, vouchers } = auth;
  const { headers, url = '' } = request;
  const { origin, host = '' } = headers;
  const isOwn = origin !== undefined && isOwnOrigin(origin, headers);
  if (origins.checksHost && !origins.mayBeAskedAs(host)) return 'refused';
  if (!keys.required) {
    const mayCall = origin === undefined || isOwn || origins.allow(origin, '');
    return mayCall ? KEYLESS : 'refused';
  }
  const known = peer?.(request);
  if (known) return { caller: known, again: async () => known };
  const rights = vouchers?.rightsIn(headers);
  const vouched = await rights?.();
  if (rights) return vouched ? { caller: vouched, again: rights } : 'refused';
  const inQuery = keysInQuery(url);
  const inHeaders = [headers['x-session-api-key'] ?? (keys.takesTokens ? bearerIn(headers) : undefined)];
  const shown = inQuery.length > 0 ? inQuery : inHeaders.flat().filter((key) => !!key);
  if (shown.length > 0) return verdictOf(shown as readonly string[], keys, guesses, addressOf(request));
  const again = async (): Promise<Caller | undefined> => keys.ofCookie('session', sessionCookieOf(headers));
  const caller = isOwn ? await again() : undefined;
  return caller ? { caller, again } : 'first-frame';
}

async function verdictOf(
  shown: readonly string[],
  keys: AccessKeys,
  guesses: GuessLimit,
  address: string,
): Promise<UpgradeVerdict> {
  if (guesses.wait(address) > 0) return 'refused';
  for (const key of shown) {
    const caller = await keys.of(key);
    if (!caller) continue;
    guesses.right(address);
    return { caller, again: () => keys.of(key) };
  }
  guesses.wrong(address, shown[0] ?? '');
  return 'refused';
}

/**
 * Waits for the frame that shows a key. Resolves with its holder if it came in time. Otherwise the connection is
 * closed with 4001, which tells the client not to come back.
 */
export async function awaitKey(
  connection: SocketConnection,
  { keys, guesses }: Pick<SocketAuth, 'keys' | 'guesses'>,
  platform: Platform,
  address: string,
): Promise<Admitted | undefined> {
  const close = (): void => connection.close(CLOSE_CODES.authenticationFailed);
  const timer = platform.setTimer(AUTH_FRAME_TIMEOUT, close, { background: true });
  const frame = await connection.receive();
  timer.cancel();
  const key = frame && 'text' in frame ? keyOf(frame.text) : undefined;
  const caller = key === undefined || guesses.wait(address) > 0 ? undefined : await keys.of(key);
  if (caller) guesses.right(address);
  else if (key !== undefined) guesses.wrong(address, key);
  if (!caller) close();
  return caller && { caller, again: () => keys.of(key) };
}

/** True if a frame shows a key; after the first frame it is ignored. */
export function isAuthFrame(frame: unknown): boolean {
  return typeof frame === 'object' && frame !== null && 'type' in frame && frame.type === 'auth';
}

function bearerIn({ authorization = '' }: IncomingMessage['headers']): string | undefined {
  return /^bearer +(\S+) *$/i.exec(authorization)?.[1];
}

function keyOf(text: string): string | undefined {
  try {
    return authFrameSchema.safeParse(JSON.parse(text)).data?.session_api_key;
  } catch {
    return undefined;
  }
}

/** Returns keys decoded and undecoded, because some clients put a key into a URL without encoding it. */
function keysInQuery(url: string): readonly string[] {
  const query = url.slice(url.indexOf('?') + 1);
  if (!url.includes('?')) return [];
  const raw = query.split('&').find((pair) => pair.startsWith('session_api_key='));
  const decoded = new URLSearchParams(query).get('session_api_key');
  return [decoded, raw?.slice('session_api_key='.length)].filter(
    (key) => key !== undefined && key !== null && key !== '',
  ) as string[];
}
