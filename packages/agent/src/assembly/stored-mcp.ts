import { errorText, REDACTED } from '@conv/core';
import { isObject } from '@conv/core/platform';
import type { ToolProvider } from '@conv/core/tool';
import { descriptionSecrets } from '@conv/openhands/descriptions';
import { AgentError } from '../base/agent-error.ts';
import type { StoredAgent } from './stored-agent.ts';

/**
 * Returns the provider of the MCP servers in a stored description, if it has any. Throws {@link AgentError}
 * `UNKNOWN_TOOL` if it has enabled servers and `make` is missing, because an agent that silently lacks tools would be a
 * different agent. Throws `INVALID_DESCRIPTION` if the servers cannot be used.
 */
export function storedMcp(
  { mcp_config: servers = {} }: StoredAgent,
  make: ((servers: Readonly<Record<string, object>>) => ToolProvider) | undefined,
): readonly ToolProvider[] {
  if (Object.keys(servers).length === 0) return [];
  if (make === undefined) {
    const needed = Object.entries(servers).flatMap(([name, server]) =>
      isObject(server) && (server['enabled'] === false || server['disabled'] === true) ? [] : [name],
    );
    if (needed.length === 0) return [];
    throw new AgentError(
      'UNKNOWN_TOOL',
      `the stored agent needs the MCP servers ${needed.join(', ')}; the factory was given no mcp; give it mcp: mcpServers`,
    );
  }
  // A token of another key is as lost as a value that was stored without a key, and must not be sent as a credential.
  const { mcp_config: config } = descriptionSecrets.mapSecrets({ mcp_config: servers }, (text) =>
    descriptionSecrets.usableSecret(text) === undefined ? REDACTED : text,
  );
  try {
    return [make(config as unknown as Readonly<Record<string, object>>)];
  } catch (cause) {
    const reason = errorText(cause);
    throw new AgentError('INVALID_DESCRIPTION', `the stored agent's MCP servers cannot be used: ${reason}`, { cause });
  }
}
