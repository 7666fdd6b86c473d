import { systemPlatform, type Platform } from '@conv/core/platform';

import { AuthRecord } from './auth-record.ts';
import type { McpAuthorization } from './authorization.ts';
import { checkRecords } from './check-authorization.ts';

/** The progress of a login. `lost`: it took too long, another one took its place, or it is none of these records. */
export type McpLoginState =
  | { readonly kind: 'open' | 'ended' | 'lost' }
  | { readonly kind: 'failed'; readonly reason: string };

/**
 * Resolves with the progress of the login whose address a person was given, such as that of an `McpError` `UNAUTHORIZED`. Changes nothing. Rejects as
 * the records do.
 *
 * @example
 * ```ts
 * import { mcpLoginState, type McpAuthorization } from '@conv/tools';
 *
 * export async function isOpen(auth: McpAuthorization, address: string): Promise<boolean> {
 *   return (await mcpLoginState(auth, address)).kind === 'open';
 * }
 * ```
 */
export async function mcpLoginState(
  authorization: Pick<McpAuthorization, 'records'>,
  address: string,
  { platform = systemPlatform }: { readonly platform?: Platform } = {},
): Promise<McpLoginState> {
  checkRecords('mcpLoginState', authorization);
  const { records } = authorization;
  const state = URL.canParse(address) ? (new URL(address).searchParams.get('state') ?? '') : '';
  const key = /^[\w-]{43}(?=\.[\w-]{43}$)/.exec(state)?.[0];
  if (key === undefined) return { kind: 'lost' };
  const { login, failure, tokens } = (await new AuthRecord(records, key, '').read()).state;
  if (failure?.state === state) return { kind: 'failed', reason: failure.reason };
  if (login?.state === state) return { kind: login.expiresAt > platform.now() ? 'open' : 'lost' };
  return { kind: login === undefined && tokens ? 'ended' : 'lost' };
}
