import type { SessionPlace } from '@conv/acp';
import type { McpConfig, McpServerConfig } from '@conv/tools';

/** Returns the MCP servers of an editor in the shape of a configuration. */
export function editorServers(servers: SessionPlace['mcpServers']): McpConfig {
  return Object.fromEntries(servers.map((server) => [server.name, configOf(server)]));
}

function configOf(server: SessionPlace['mcpServers'][number]): McpServerConfig {
  if (!('type' in server)) return { command: server.command, args: server.args, env: valuesOf(server.env) };
  return { transport: server.type, url: server.url, headers: valuesOf(server.headers) };
}

function valuesOf(pairs: readonly { readonly name: string; readonly value: string }[]): Record<string, string> {
  return Object.fromEntries(pairs.map(({ name, value }) => [name, value]));
}
