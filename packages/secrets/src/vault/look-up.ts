import { abortable } from '@conv/core';
import { timers, type Platform } from '@conv/core/platform';
import { isHeader, type LookupSource } from './secret-source.ts';
import { MAX_VALUE_BYTES } from './unfit-for-environment.ts';

const TIME_LIMIT = 30_000;

/** Dependencies of a lookup. */
export interface LookUpDeps {
  readonly platform: Platform;
  readonly fetch: typeof globalThis.fetch;
  /** The base of relative URLs. */
  readonly baseUrl: string | undefined;
}

/** A source that gave no value. The message is shown: it contains no value, no header and no URL. */
export class SourceFailure extends Error {}

/** Asks for a value by HTTP. Rejects with a {@link SourceFailure}, or `signal.reason`. */
export async function lookUp(source: LookupSource, deps: LookUpDeps, signal: AbortSignal): Promise<string> {
  const url = absolute(source.url, deps.baseUrl);
  using limit = timers.deadline(deps.platform, TIME_LIMIT, { signal });
  try {
    return await abortable(request(url, source.headers, deps.fetch, limit), limit);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof SourceFailure) throw error;
    if (limit.aborted) throw new SourceFailure(`its lookup did not answer within ${TIME_LIMIT / 1000} seconds`);
    throw new SourceFailure(`its lookup failed${errorCode(error)}`);
  }
}

async function request(
  url: URL,
  headers: LookupSource['headers'],
  fetch: LookUpDeps['fetch'],
  signal: AbortSignal,
): Promise<string> {
  // Updates refuse such a header; a source that another program has stored may have one.
  if (!Object.entries(headers).every(([name, value]) => isHeader(name, value)))
    throw new SourceFailure('one of its headers cannot be sent: it has a character that HTTP does not take');
  // A redirect could carry the headers to another server.
  const response = await fetch(url, { headers, redirect: 'manual', signal });
  if (response.ok) return await limitedText(response);
  await response.body?.cancel();
  if (response.type === 'opaqueredirect' || (response.status >= 300 && response.status < 400)) {
    throw new SourceFailure('its lookup answered with a redirect, which is not followed');
  }
  throw new SourceFailure(`its lookup answered with status ${response.status}`);
}

async function limitedText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop cancels the rest of the answer.
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > MAX_VALUE_BYTES)
      throw new SourceFailure(`its lookup answered with more than ${MAX_VALUE_BYTES / 1024} KiB`);
    chunks.push(chunk);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    throw new SourceFailure('its lookup answered with something that is not text');
  }
}

function absolute(url: string, baseUrl: string | undefined): URL {
  const parsed = URL.parse(url) ?? (baseUrl === undefined ? null : URL.parse(url, baseUrl));
  if (parsed === null) throw new SourceFailure('its url is relative, and nothing says to what');
  if (parsed.protocol !== 'https:' && parsed.protocol !== 'http:')
    throw new SourceFailure('its url is not one of HTTP');
  return parsed;
}

/** Returns the code of an error. The messages of the platform may quote the request, their codes do not. */
function errorCode(error: unknown): string {
  const cause: unknown = error instanceof Error ? error.cause : undefined;
  const code: unknown = typeof cause === 'object' && cause !== null ? Reflect.get(cause, 'code') : undefined;
  return typeof code === 'string' && /^[A-Z_]{3,40}$/.test(code) ? ` (${code})` : '';
}
