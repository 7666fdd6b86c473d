/** Routes that providers' packages add themselves. */
const ROUTE = /\/(?:chat\/completions|completions|responses|messages)\/*$/;

/**
 * Returns an error text, with a remedy, for a wrong base URL of a model; `undefined` for a URL that requests can be sent to.
 * Never quotes the URL, because it may be the key.
 */
export function wrongBaseUrl(baseUrl: string): string | undefined {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    return 'is not an http(s) URL; write it with its scheme, as in http://127.0.0.1:8080/v1';
  if (url.username !== '' || url.password !== '')
    return 'holds a name or a password; give the key of the model instead';
  if (url.search !== '' || url.hash !== '') return 'has a query or a fragment; end it at its path';
  const [route] = ROUTE.exec(url.pathname) ?? [];
  return route === undefined ? undefined : `ends in ${route}; leave that out: it is added to each request`;
}
