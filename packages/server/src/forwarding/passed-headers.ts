import type { IncomingHttpHeaders } from 'node:http';

export type Headers = Record<string, string | string[]>;

/** Headers that hold between two neighbours only (RFC 9110, 7.6.1), and headers that each hop sets itself. */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Request headers that this server sets itself. `Expect` is dropped, because the body is sent without asking first. */
const OF_THE_WAY: ReadonlySet<string> = new Set(['host', 'content-length', 'expect']);

/** Headers with the caller's credentials or its browser's origin, which are checked here and not forwarded. */
const JUDGED =
  /^(?:authorization|cookie2?|origin|referer|sec-.*|x-session-api-key|x-init-api-key|x-conv-voucher|x-conv-peer|x-conv-forwarded-by)$/;

/** Returns the headers of a request in the form in which it is forwarded. */
export function passedOn(headers: IncomingHttpHeaders): Headers {
  return without(headers, (name) => HOP_BY_HOP.has(name) || OF_THE_WAY.has(name) || JUDGED.test(name));
}

/** Returns the headers of an owner's answer in the form in which it is returned to the client. */
export function passedBack(headers: IncomingHttpHeaders): Headers {
  return without(headers, (name) => HOP_BY_HOP.has(name));
}

function without(headers: IncomingHttpHeaders, isLeftOut: (name: string) => boolean): Headers {
  const named = new Set((headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase()));
  const kept = Object.entries(headers).filter(([name, value]) => {
    return value !== undefined && !isLeftOut(name) && !named.has(name);
  });
  return Object.fromEntries(kept) as Headers;
}
