import type { JsonObject } from '@conv/core';
import { isJsonObject } from '@conv/core/platform';

/**
 * Returns an MCP server in the wire's form. The wire has `enabled` alone, so `disabled`, as other programs write it, becomes
 * `enabled`.
 */
export function withEnabled(server: JsonObject): JsonObject {
  const { disabled, ...rest } = server;
  if (disabled === null) return rest;
  return typeof disabled === 'boolean' ? { ...rest, enabled: !disabled && rest['enabled'] !== false } : server;
}

/** Returns agent settings with all MCP servers in the wire's form. */
export function withEnabledServers(settings: JsonObject): JsonObject {
  const { mcp_config: config } = settings;
  if (!isJsonObject(config)) return settings;
  const servers = Object.entries(config).map(([name, server]) => [
    name,
    isJsonObject(server) ? withEnabled(server) : server,
  ]);
  return { ...settings, mcp_config: Object.fromEntries(servers) };
}
