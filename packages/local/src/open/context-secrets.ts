import type { Agent, JsonObject, SecretVault } from '@conv/core';
import { isJsonObject } from '@conv/core/platform';

/**
 * Lends the secrets of the agent's `agent_context.secrets` to the vault, for the processes that name them. If there is no vault
 * that takes them, a process warning names them.
 */
export function lendContextSecrets(vault: SecretVault | undefined, agent: Agent, conversationId: string): void {
  const secrets = contextSecrets(agent);
  const names = Object.keys(secrets);
  if (names.length === 0) return;
  if (vault?.lend) return vault.lend(secrets);
  const why = vault ? 'its vault takes no secrets of agents' : 'it has no vault';
  process.emitWarning(`conversation ${conversationId} cannot use ${names.join(', ')}: ${why}`, 'SecretWarning');
}

function contextSecrets(agent: Agent): JsonObject {
  const { agent_context: context } = agent.describe({ secrets: 'plain' });
  const { secrets } = isJsonObject(context) ? context : {};
  return isJsonObject(secrets) ? secrets : {};
}
