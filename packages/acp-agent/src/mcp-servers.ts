import type { McpCapabilities, McpServer } from '@agentclientprotocol/sdk/unstable';
import type { Json, JsonObject } from '@conv/core';
import { isJsonObject } from '@conv/core/platform';
import { descriptionSecrets } from '@conv/openhands/descriptions';
import { expandReferences } from '@conv/openhands/references';

import { AcpAgentError } from './acp-agent-error.ts';

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
    typeof value === 'string' ? expandReferences(value, { values: secrets, defaults: true }) : '';
  const pairs = (map: Json | undefined): { name: string; value: string }[] =>
    Object.entries(isJsonObject(map) ? map : {}).flatMap(([name, value]) =>
      isKept(value) ? [{ name, value: filled(value) }] : [],
    );
  return enabledServers(config).map(([name, { command, args, env, url, headers, transport, auth }]) => {
    if (typeof command === 'string')
      return { name, command, args: Array.isArray(args) ? args.map(filled) : [], env: pairs(env) };
    const refuse = (what: string): never => {
      throw new AcpAgentError(
        'UNSUPPORTED',
        `the MCP server ${name} ${what}: set it up in the program itself, and leave it out`,
      );
    };
    if (isJsonObject(auth) && auth['strategy'] !== 'none')
      return refuse(`has auth (${JSON.stringify(auth['strategy'])}), which a program cannot be given`);
    const address = filled(url);
    const type = transportOf(transport, address);
    if (can?.[type] !== true) return refuse(`is reached by ${type}, which the program does not take`);
    return { type, name, url: address, headers: pairs(headers) };
  });
}

/** False for a value that was stored without a key, or with another one: it must not be sent as a credential. */
function isKept(value: Json): boolean {
  return value === '' || descriptionSecrets.usableSecret(value) !== undefined;
}

/** Returns the transport of a server at an address, as `@conv/tools` chooses it. */
function transportOf(transport: Json | undefined, address: string): 'http' | 'sse' {
  if (typeof transport === 'string') return transport === 'sse' ? 'sse' : 'http';
  return URL.canParse(address) && /\/sse\/?$/.test(new URL(address).pathname) ? 'sse' : 'http';
}

/** Returns the servers that are enabled, in either form of a configuration. */
export function enabledServers(config: Json | undefined): readonly (readonly [string, JsonObject])[] {
  if (!isJsonObject(config)) return [];
  const servers = isJsonObject(config['mcpServers']) ? config['mcpServers'] : config;
  return Object.entries(servers).flatMap(([name, server]) =>
    isJsonObject(server) && server['enabled'] !== false && server['disabled'] !== true ? [[name, server] as const] : [],
  );
}
