import { type AgentServerOptions } from '@conv/server';
import { loginRecords } from '@conv/server/records';
import { finishMcpLogin, type McpAuthorization } from '@conv/tools';
import type { Logger } from 'pino';

import type { Configuration } from './configuration/effective-configuration.ts';
import { isLoopback } from './configuration/missing-settings.ts';
import type { Kept } from './open-kept.ts';

/** The path that browsers come back to from an authorization server. */
const PATH = '/mcp/callback';

/** Parts of a server that logins need. */
export interface LoginParts {
  readonly kept: Pick<Kept, 'cipher' | 'registry'>;
  readonly log: Pick<Logger, 'warn'>;
  /** Returns the URL of this server for this machine; `undefined` before it listens. */
  readonly ownUrl: () => string | undefined;
  /** Resolves with the name of the principal that a conversation belongs to; null for a key of the configuration. */
  readonly principalOf: (conversationId: string) => Promise<string | null>;
}

/** Returns the way in which agents authorize at MCP servers: each principal has logins of its own, in the registry of the store. */
export function mcpLogins(
  { publicUrl, mcpHosts, host }: Pick<Configuration, 'publicUrl' | 'mcpHosts' | 'host'>,
  { kept: { cipher, registry }, log, ownUrl, principalOf }: LoginParts,
): McpAuthorization {
  const base = (): string => {
    const own = isLoopback(host) ? ownUrl() : undefined;
    const url = publicUrl ?? own;
    if (url === undefined) throw new Error(NO_ADDRESS);
    return url.replace(/\/$/, '');
  };
  return {
    records: loginRecords(registry, cipher, () =>
      log.warn('a login at an MCP server was encrypted with another key, and must be made again; see OH_SECRET_KEY'),
    ),
    redirectUrl: () => `${base()}${PATH}`,
    owner: async ({ conversationId }) => ownerText(await principalOf(conversationId)),
    hosts: mcpHosts,
  };
}

/** Returns the owner of the logins of a principal. The keys of the configuration, which have no name, share theirs. */
export function ownerText(principal: string | null): string {
  return principal === null ? 'configuration' : `principal ${principal}`;
}

const NO_ADDRESS = 'the browser cannot come back: set CONV_PUBLIC_URL to the URL of this server for browsers';

/** Returns the option of the server that ends these logins. */
export function loginsOption({ records, hosts = [] }: McpAuthorization): Pick<AgentServerOptions, 'logins'> {
  return { logins: { finish: (callback) => finishMcpLogin({ records, hosts }, callback) } };
}
