import type { HttpAnswer } from './http-messages.ts';
import { isTransientStatus } from './server-failure.ts';

/** Details with which web frameworks refuse unknown routes. */
const NO_ROUTE: ReadonlySet<string> = new Set(['', 'Not Found']);

/** Returns a message with what was expected at an address, what was found there, and what to do. */
export function notAgentServer(url: string, found: string): string {
  return `expected an agent server at ${url}, found ${found}; check host, port and path`;
}

/** Describes an answer that no agent server gives; `undefined` for a refusal that may come from an agent server. */
export function strangeRefusal(
  { status, header, body }: HttpAnswer,
  detail: string,
  isAboutConversation: boolean,
): string | undefined {
  if (status >= 500 || isTransientStatus(status)) return undefined;
  const location = header('location');
  if (location !== undefined)
    return `a redirect to ${URL.canParse(location) ? new URL(location).origin : 'another path'}`;
  if (!isJson(body)) return typeOf(header);
  return status === 404 && !isAboutConversation && NO_ROUTE.has(detail) ? 'a server without this route' : undefined;
}

/** The media type of an answer, in words. */
export function typeOf(header: HttpAnswer['header']): string {
  const [type = ''] = (header('content-type') ?? '').split(';');
  return /^[\w.+-]+\/[\w.+-]+$/.test(type) ? `an answer of type ${type}` : 'an answer without a type';
}

function isJson(body: Uint8Array): boolean {
  try {
    JSON.parse(new TextDecoder().decode(body));
    return true;
  } catch {
    return false;
  }
}
