import { checkOptionNames, checks, type OptionNames } from '@conv/core';
import { type Platform, systemPlatform } from '@conv/core/platform';
import type { JsonObject, Sandbox, ToolProvider } from '@conv/core/tool';
import { hasReference } from '@conv/openhands/references';

import { checkSandbox } from '../check-sandbox.ts';
import type { McpAuthorization } from './authorization.ts';
import { checkAuthorization } from './check-authorization.ts';
import { parseMcpConfig, type McpConfig, type McpServerConfig } from './mcp-config.ts';
import { McpError } from './mcp-error.ts';
import { milliseconds } from './milliseconds.ts';
import type { McpSampling } from './sampling.ts';
import { configSecrets } from './secret-values.ts';

/** Options of all servers. */
export interface McpServersOptions {
  /** Seconds that each server has to start, to initialize and to list its tools. Servers start concurrently. Default 30. */
  readonly connectTimeout?: number;
  /**
   * Seconds that a call may take where the server's configuration names no `timeout`; progress does not prolong it, and
   * it does not run while the user is asked. Default 300.
   */
  readonly callTimeout?: number;
  /**
   * Confines the servers that are processes, with the other programs of the conversation. Where the sandbox cannot be had, `provide`
   * rejects {@link McpError} `UNSUPPORTED`. Default: a process has the rights of this process.
   */
  readonly sandbox?: Sandbox;
  /**
   * The way to authorize at servers whose `auth` has the strategy `oauth2`. If a person must log in, a call asks by the tool `ask_user`, and goes
   * on when the browser has come back. A server whose tools cannot be listed before has the tool `authorize` alone. In a conversation without
   * `ask_user` `provide` rejects {@link McpError} `UNAUTHORIZED`, with the address to open. Default: servers that want it are refused.
   */
  readonly auth?: McpAuthorization;
  /**
   * Returns the trace that calls belong to, such as `traceHeaders` of `@conv/otel`: `traceparent`, `tracestate` and `baggage` of W3C, which each call
   * sends in `_meta`. Called at each call, within its run. Default: nothing is sent.
   */
  readonly trace?: () => Readonly<Record<string, string>>;
  /**
   * Asks a model for servers, at the cost of the app. Every server of the configuration may ask then, with prompts of its own. Default: sampling is refused
   * by its name (decision 182).
   */
  readonly sampling?: McpSampling;
  /** Timers for connecting, calls and closing. Default: the platform of the host. */
  readonly platform?: Platform;
}

const NAMES: OptionNames<McpServersOptions> = {
  connectTimeout: true,
  callTimeout: true,
  sandbox: true,
  auth: true,
  trace: true,
  sampling: true,
  platform: true,
};

/**
 * Provides the tools of MCP servers. Each conversation has its own connections and processes.
 *
 * Throws {@link McpError} `INVALID_CONFIG`. `provide` rejects with the other codes and with `signal.reason`; the client library is
 * loaded there. The list is read again when a server reports a change of its tools, and after each new connection. If it cannot be
 * read or has a duplicate name, a process warning `McpWarning` says so and the old list stays.
 *
 * `$NAME`, `${NAME}` and `${NAME:-default}` in a configuration stand for the session's secrets, read at each connection.
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
  checkSandbox('mcpServers', options.sandbox);
  checkAuthorization('mcpServers: auth', options.auth);
  const { connectTimeout = 30, callTimeout = 300, sandbox, auth, trace, sampling, platform = systemPlatform } = options;
  if (trace !== undefined && typeof trace !== 'function')
    throw new TypeError(
      checks.wrongValue('mcpServers: trace', 'a function that returns the headers of a trace', trace),
    );
  if (sampling !== undefined && typeof sampling !== 'function')
    throw new TypeError(checks.wrongValue('mcpServers: sampling', 'a function that asks a model', sampling));
  if (!(connectTimeout > 0) || !(callTimeout > 0))
    throw new TypeError('mcpServers: connectTimeout and callTimeout: expected more than 0 seconds');
  const servers = parseMcpConfig(config);
  const secrets = configSecrets(servers);
  return {
    name: `MCP servers ${Object.keys(servers).join(', ')}`,
    description: { mcp_config: servers as unknown as JsonObject },
    secretValues: () => secrets,
    provide: async (session, { changed, signal, taken = new Set() }) => {
      signal.throwIfAborted();
      const enabled = enabledServers(servers, auth);
      if (session.executor) refuseProcesses(enabled);
      if (Object.keys(enabled).length === 0) return { tools: [], close: () => Promise.resolve() };
      // the client is large, and a conversation without servers needs none
      const { provideTools } = await import('./provide-tools.ts');
      signal.throwIfAborted();
      const times = { connectTimeout: milliseconds(connectTimeout), callTimeout: milliseconds(callTimeout) };
      return provideTools(session, {
        platform,
        servers: enabled,
        sandbox,
        auth,
        trace,
        sampling,
        ...times,
        taken,
        changed,
        signal,
      });
    },
  };
}

function enabledServers(
  servers: McpConfig,
  auth: McpAuthorization | undefined,
): Readonly<Record<string, McpServerConfig>> {
  const enabled = Object.entries(servers).filter(([, { enabled, disabled }]) => enabled !== false && disabled !== true);
  const oauth = enabled.filter(([, { auth }]) => auth?.strategy === 'oauth2');
  if (oauth.length > 0 && !auth)
    throw unsupported(
      oauth,
      'auth with the strategy oauth2 needs the option auth of mcpServers',
      '; pass it, or use a token',
    );
  const hidden = oauth.filter(([, { url }]) => !URL.canParse(url ?? '') || hasReference(url ?? ''));
  if (hidden.length > 0) throw unsupported(hidden, 'auth with the strategy oauth2 needs a url that names no secret');
  const local = enabled.filter(([, { command }]) => command);
  if (local.length > 0 && process.platform === 'win32')
    throw unsupported(local, 'MCP servers as processes are not supported on Windows', '; give addresses');
  return Object.fromEntries(enabled);
}

/** Refuses servers that are processes: they would act on this machine, in place of the executor's. */
function refuseProcesses(servers: Readonly<Record<string, McpServerConfig>>): void {
  const local = Object.entries(servers).filter(([, { command }]) => command);
  const what = 'MCP servers as processes would run beside the conversation, and not in its executor';
  if (local.length > 0) throw unsupported(local, what, '; leave them out, or give addresses');
}

function unsupported(servers: readonly (readonly [string, McpServerConfig])[], what: string, remedy = ''): McpError {
  const names = servers.map(([name]) => name);
  return new McpError('UNSUPPORTED', names, `${what}: ${names.join(', ')}${remedy}`);
}
