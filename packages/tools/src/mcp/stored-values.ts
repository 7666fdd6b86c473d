import { REDACTED } from '@conv/core';
import { isJsonObject } from '@conv/core/platform';

import type { McpAuth, McpServerConfig, McpValues } from './mcp-config.ts';

/** A server's configuration without the values that it has lost. */
export interface StoredServer {
  readonly config: McpServerConfig;
  /** The names of the missing values, such as `env.API_KEY`. */
  readonly missing: readonly string[];
}

/** Leaves out values that were stored redacted, because they would be wrong credentials, and returns their names. */
export function withoutLostValues(config: McpServerConfig): StoredServer {
  const missing: string[] = [];
  const present = (values: McpValues | null | undefined, path: string): Readonly<Record<string, string>> => {
    const kept: Record<string, string> = {};
    for (const [name, value] of Object.entries(values ?? {})) {
      if (value === null || value === REDACTED) missing.push(`${path}.${name}`);
      else kept[name] = value;
    }
    return kept;
  };
  const env = present(config.env, 'env');
  const headers = present(config.headers, 'headers');
  const auth = presentAuth(config.auth, present, missing);
  // in an argument or an address only a part may be lost, so it is reported but not left out
  for (const [index, argument] of (config.args ?? []).entries())
    if (argument.includes(REDACTED)) missing.push(`args.${index}`);
  if (config.url?.includes(REDACTED)) missing.push('url');
  return { config: { ...config, env, headers, auth }, missing };
}

function presentAuth(
  auth: McpAuth | null | undefined,
  present: (values: McpValues | null | undefined, path: string) => Readonly<Record<string, string>>,
  missing: string[],
): McpAuth | null {
  if (!auth) return null;
  if (auth.strategy === 'oauth2') {
    const given = auth['authentication'];
    if (!isJsonObject(given)) return auth;
    const lost = Object.keys(given).filter((name) => given[name] === REDACTED);
    missing.push(...lost.map((name) => `auth.authentication.${name}`));
    const kept = Object.entries(given).filter(([name]) => !lost.includes(name));
    return { ...auth, authentication: Object.fromEntries(kept) };
  }
  if (auth.strategy === 'header') return { ...auth, headers: present(auth.headers, 'auth.headers') };
  const [name, value] =
    auth.strategy === 'basic' ? ['password', auth.password] : ['value', 'value' in auth ? auth.value : undefined];
  if (value !== REDACTED) return auth;
  missing.push(`auth.${name}`);
  return { strategy: 'none' };
}
