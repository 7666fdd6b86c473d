import { checkOptionNames, type OptionNames } from '@conv/core';
import { type Platform, systemPlatform } from '@conv/core/platform';
import type { JsonObject, ToolProvider } from '@conv/core/tool';

import { parseMcpConfig, type McpConfig, type McpServerConfig } from './mcp-config.ts';
import { McpError } from './mcp-error.ts';
import { milliseconds } from './milliseconds.ts';
import { configSecrets } from './secret-values.ts';

/** Options of all servers. */
export interface McpServersOptions {
  /** Seconds that each server has to start, to greet and to list its tools; they do so at the same time. Default 30. */
  readonly connectTimeout?: number;
  /** Seconds that a call may take where the server's configuration names no `timeout`; progress does not prolong it. Default 300. */
  readonly callTimeout?: number;
  /**
   * Gives the timers of connecting and closing. The time of a call is counted by the client library. Default: the platform of the host.
   */
  readonly platform?: Platform;
}

const NAMES: OptionNames<McpServersOptions> = { connectTimeout: true, callTimeout: true, platform: true };

/**
 * The tools of MCP servers. Each conversation has connections and processes of its own.
 *
 * Throws {@link McpError} `INVALID_CONFIG`. `provide` rejects with the other codes and with `signal.reason`; the client library
 * is loaded there. A server's news of its tools, and a new connection, change the list; a list that cannot be had, or in which
 * a name would be doubled, is told as a process warning `McpWarning` and leaves the old one.
 *
 * `$NAME`, `${NAME}` and `${NAME:-default}` in a configuration stand for the session's secrets, read at each connecting.
 *
 * @example
 * ```ts
 * import { mcpServers } from '@conv/tools';
 *
 * export const files = mcpServers({
 *   files: { command: 'npx', args: ['-y', '@modelcontextprotocol/server-filesystem', '.'] },
 *   tickets: { url: 'https://tickets.example.com/mcp', auth: { strategy: 'bearer', value: '${TICKETS_TOKEN}' } },
 * });
 * ```
 */
export function mcpServers(config: McpConfig, options: McpServersOptions = {}): ToolProvider {
  checkOptionNames('mcpServers', options, NAMES);
  const { connectTimeout = 30, callTimeout = 300, platform = systemPlatform } = options;
  if (!(connectTimeout > 0) || !(callTimeout > 0)) throw new TypeError('mcpServers: times must be above 0 seconds');
  const servers = parseMcpConfig(config);
  const secrets = configSecrets(servers);
  return {
    name: `MCP servers ${Object.keys(servers).join(', ')}`,
    description: { mcp_config: servers as unknown as JsonObject },
    secretValues: () => secrets,
    provide: async (session, { changed, signal, taken = new Set() }) => {
      signal.throwIfAborted();
      const enabled = enabledServers(servers);
      if (Object.keys(enabled).length === 0) return { tools: [], close: () => Promise.resolve() };
      // the client is large, and a conversation without servers needs none
      const { provideTools } = await import('./provide-tools.ts');
      signal.throwIfAborted();
      const times = { connectTimeout: milliseconds(connectTimeout), callTimeout: milliseconds(callTimeout) };
      return provideTools(session, { platform, servers: enabled, ...times, taken, changed, signal });
    },
  };
}

function enabledServers(servers: McpConfig): Readonly<Record<string, McpServerConfig>> {
  const enabled = Object.entries(servers).filter(([, { enabled, disabled }]) => enabled !== false && disabled !== true);
  const oauth = enabled.filter(([, { auth }]) => auth?.strategy === 'oauth2');
  if (oauth.length > 0) throw unsupported(oauth, 'auth with the strategy oauth2 is not supported', '; use a token');
  const local = enabled.filter(([, { command }]) => command);
  if (local.length > 0 && process.platform === 'win32')
    throw unsupported(local, 'MCP servers as processes are not supported on Windows');
  return Object.fromEntries(enabled);
}

function unsupported(servers: readonly (readonly [string, McpServerConfig])[], what: string, remedy = ''): McpError {
  const names = servers.map(([name]) => name);
  return new McpError('UNSUPPORTED', names, `${what}: ${names.join(', ')}${remedy}`);
}
