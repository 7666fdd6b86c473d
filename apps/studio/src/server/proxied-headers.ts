import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

/** Headers that are between the browser and studio alone. */
const OWN = [
  'authorization',
  'cookie',
  'origin',
  'referer',
  'x-session-api-key',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-port',
  'x-forwarded-proto',
];

/** Headers of answers that are between studio and its server alone. */
const ANSWERED = /^(?:set-cookie$|access-control-|alt-svc$|strict-transport-security$)/;

/**
 * Turns a request of the browser into a request of studio: removes headers for studio and a key in the address. The server sees a
 * program with the server's key.
 */
export function asProgram(request: IncomingMessage): void {
  for (const name of Object.keys(request.headers))
    if (OWN.includes(name) || name.startsWith('sec-fetch-')) delete request.headers[name];
  const [path = '', query] = (request.url ?? '').split(/\?(.*)/s);
  if (query === undefined) return;
  const kept = query.split('&').filter((pair) => !pair.startsWith('session_api_key='));
  request.url = kept.length === 0 ? path : `${path}?${kept.join('&')}`;
}

/** Removes headers that a server must not set for the origin of studio. */
export function withoutForeign(headers: IncomingHttpHeaders): void {
  for (const name of Object.keys(headers)) if (ANSWERED.test(name)) delete headers[name];
}
