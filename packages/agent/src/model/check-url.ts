import { LlmError } from './llm-error.ts';

/** Routes that providers' packages add themselves. */
const ROUTE = /\/(?:chat\/completions|completions|responses|messages)\/*$/;

/** Returns a base URL as it is. Throws `CONFIG` for what would fail at the first request; never quotes it, because it may be the key. */
export function checkUrl(baseUrl: string, place: string = 'the base URL of the model'): string {
  const wrong = (found: string, advice: string): LlmError => new LlmError('CONFIG', `${place} ${found}; ${advice}`);
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    throw wrong('is not an http(s) URL', 'write it with its scheme, as in http://127.0.0.1:8080/v1');
  if (url.username !== '' || url.password !== '') throw wrong('holds a name or a password', 'give the key as apiKey');
  if (url.search !== '' || url.hash !== '') throw wrong('has a query or a fragment', 'end it at its path');
  const [route] = ROUTE.exec(url.pathname) ?? [];
  if (route !== undefined) throw wrong(`ends in ${route}`, 'leave that out: it is added to each request');
  return baseUrl;
}
