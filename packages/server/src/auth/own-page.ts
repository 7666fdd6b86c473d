import type { IncomingHttpHeaders } from 'node:http';

/** Values of `Sec-Fetch-Site` for requests that no page of another origin caused. */
const OWN: ReadonlySet<string> = new Set(['same-origin', 'none']);

/**
 * True if a request comes from a page of the server itself, from a person who typed its address, or from a program. Pages cannot
 * set these headers.
 */
export function isOwnPage(headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site'];
  if (typeof site === 'string') return OWN.has(site);
  return headers.origin === undefined || isOwnOrigin(headers.origin, headers);
}

/** True if an origin is that of the server, as its caller reaches it. */
export function isOwnOrigin(origin: string, { host = '' }: IncomingHttpHeaders): boolean {
  const scheme = /^https?:\/\//i.exec(origin)?.[0];
  if (scheme === undefined || !URL.canParse(origin) || !URL.canParse(scheme + host)) return false;
  return new URL(origin).host === new URL(scheme + host).host;
}
