import type { IncomingHttpHeaders } from 'node:http';

import { cookieOf } from './key-digests.ts';

const THIRTY_DAYS = 2_592_000;

/** Returns the value of a cookie; `undefined` when there is none. */
export function cookieIn({ cookie = '' }: IncomingHttpHeaders, name: string): string | undefined {
  const pairs = cookie.split(';').map((pair) => pair.trim());
  const value = pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
  try {
    return value === undefined ? undefined : decodeURIComponent(value);
  } catch {
    return value;
  }
}

export function sessionCookieOf(headers: IncomingHttpHeaders): string | undefined {
  return cookieIn(headers, nameFor(headers));
}

/** Returns the `Set-Cookie` value with the session cookie of a key. */
export function sessionCookieFor(key: string, headers: IncomingHttpHeaders): string {
  const secure = headers['x-forwarded-proto'] === 'https' ? '; Secure' : '';
  return `${nameFor(headers)}=${cookieOf(key, 'session')}; Max-Age=${THIRTY_DAYS}; Path=/; HttpOnly; SameSite=Strict${secure}`;
}

/** Returns the `Set-Cookie` value that deletes the session cookie. */
export function endedSessionCookie(headers: IncomingHttpHeaders): string {
  return `${nameFor(headers)}=; Max-Age=0; Path=/; HttpOnly; SameSite=Strict`;
}

/** Returns the name of the session cookie, with the server's port, because browsers share cookies between the ports of a host. */
function nameFor({ host = '' }: IncomingHttpHeaders): string {
  return `conv_session_${/:(\d+)$/.exec(host)?.[1] ?? 'default'}`;
}
