/**
 * Requests that carry keys: they reach one origin.
 *
 * @packageDocumentation
 */
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const MAX_HOPS = 5;

/**
 * Fetches as `fetch` does, for requests that carry keys. Redirects are followed within one origin alone, so that no header of
 * the request reaches another server. Rejects `TypeError` for a redirect to another origin, for a redirect that would send a
 * body again in another form, and after five redirects.
 */
export async function fetchWithinOrigin(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  let url = new URL(input instanceof Request ? input.url : input);
  for (let hops = 0; ; hops += 1) {
    const target = input instanceof Request && hops === 0 ? input : url;
    const response = await fetch(target, { ...init, redirect: 'manual' });
    const location = response.headers.get('location');
    if (!REDIRECTS.has(response.status) || location === null) return response;
    await response.body?.cancel();
    const next = new URL(location, url);
    if (next.origin !== url.origin)
      throw new TypeError(
        `${url.origin} redirects to ${next.origin}, which must not get the keys of the request: set the address that answers itself`,
      );
    const isKept = response.status === 307 || response.status === 308 || (init?.method ?? 'GET') === 'GET';
    const isSentAgain = !(input instanceof Request) && isKept && !(init?.body instanceof ReadableStream);
    if (!isSentAgain || hops === MAX_HOPS)
      throw new TypeError(
        `${url.origin} redirects with status ${response.status}, which is not followed: set the address that answers itself`,
      );
    url = next;
  }
}
