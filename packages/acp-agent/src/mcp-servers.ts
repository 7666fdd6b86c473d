import type { McpCapabilities, McpServer } from '@agentclientprotocol/sdk/unstable';
import type { Json, JsonObject } from '@conv/core';
import { isJsonObject } from '@conv/core/platform';

import { AcpAgentError } from './acp-agent-error.ts';

/** Matches a reference to a secret of the conversation, as in the configuration of MCP servers. */
const REFERENCE = /\$\{([A-Za-z_]\w*)\}/g;

/**
 * Returns the MCP servers of a description as a session of the program gets them, with the values of the secrets that they name. Throws
 * `UNSUPPORTED` for a server that the program cannot reach, because an agent without its tools would be another one.
 */
export function mcpServersOf(
  config: Json | undefined,
  can: McpCapabilities | undefined,
  secrets: Readonly<Record<string, string>>,
): McpServer[] {
  const filled = (value: Json | undefined): string =>
    typeof value === 'string' ? value.replaceAll(REFERENCE, (whole, name: string) => secrets[name] ?? whole) : '';
  const pairs = (map: Json | undefined): { name: string; value: string }[] =>
    Object.entries(isJsonObject(map) ? map : {}).map(([name, value]) => ({ name, value: filled(value) }));
  return serversIn(config).map(([name, { command, args, env, url, headers, transport, auth }]) => {
    if (typeof command === 'string')
      return { name, command, args: Array.isArray(args) ? args.map(filled) : [], env: pairs(env) };
    const type = transport === 'sse' ? 'sse' : 'http';
    const refuse = (what: string): never => {
      throw new AcpAgentError(
        'UNSUPPORTED',
        `the MCP server ${name} ${what}: set it up in the program itself, and leave it out`,
      );
    };
    if (isJsonObject(auth) && auth['strategy'] !== 'none')
      return refuse('wants a login, which the program cannot share');
    if (can?.[type] !== true) return refuse(`is reached by ${type}, which the program does not take`);
    return { type, name, url: filled(url), headers: pairs(headers) };
  });
}

/** Returns the servers that are enabled, in either form of a configuration. */
function serversIn(config: Json | undefined): readonly (readonly [string, JsonObject])[] {
  if (!isJsonObject(config)) return [];
  const servers = isJsonObject(config['mcpServers']) ? config['mcpServers'] : config;
  return Object.entries(servers).flatMap(([name, server]) =>
    isJsonObject(server) && server['enabled'] !== false && server['disabled'] !== true ? [[name, server] as const] : [],
  );
}
