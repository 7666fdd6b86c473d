import {
  checks,
  ConversationError,
  type ConversationState,
  type SecretInput,
  type SecretUpdate,
  type SecretVault,
  type SecretVaultFactory,
  type StoredSecrets,
  type Agent,
  type JsonObject,
} from '@conv/core';
import { isJsonObject } from '@conv/core/platform';

import type { LocalConversationOptions } from '../options/conversation-options.ts';
import { NO_VAULT, pickSecrets } from '../safeguards/conversation-secrets.ts';

/** Placeholder of a value when only the shape of the given secrets is checked. */
const ANY_VALUE = 'a value that is long enough';

/** Makes the empty vault of a conversation. Throws `UNSUPPORTED` for secrets without a vault, `INVALID_INPUT` for wrong secrets. */
export function makeVault(
  make: SecretVaultFactory | undefined,
  { secrets, cipher, platform }: Pick<LocalConversationOptions, 'secrets' | 'cipher' | 'platform'>,
): SecretVault | undefined {
  if (secrets !== undefined && (typeof secrets !== 'object' || secrets === null))
    throw checks.invalid(checks.wrongValue('secrets', 'an object of values or sources by name', secrets));
  if (secrets !== undefined && !make) throw new ConversationError('UNSUPPORTED', NO_VAULT);
  // a vault is filled only when the stored secrets are known, but wrong secrets have to be found before
  if (secrets !== undefined) make?.({}).update(withoutValues(secrets));
  return make?.({ cipher, platform });
}

/**
 * Fills the vault, so that every secret is masked from here on. Throws `INVALID_INPUT` for given hooks that hold a secret's
 * value. Hooks are stored unmasked, because a masked hook would be another hook; a command gets the secrets that it names.
 */
export function fillVault(
  vault: SecretVault,
  stored: StoredSecrets,
  { agent, secrets, hooks }: Pick<LocalConversationOptions, 'agent' | 'secrets' | 'hooks'>,
): void {
  vault.load(pickSecrets(stored));
  vault.hide(agent?.secretValues?.() ?? []);
  if (secrets) vault.update(secrets);
  const config = JSON.stringify(hooks?.config ?? null);
  if (vault.masker.mask(config) !== config)
    throw checks.invalid(
      'the hooks hold the value of a secret; use the name of the secret instead, and commands get the value in their environment',
    );
}

/** Warns of secrets that have no value here, except those given just now, because the vault has reported them. */
export function warnOfMissing(
  { id }: Pick<ConversationState, 'id'>,
  missing: readonly { readonly name: string; readonly reason: string }[],
  given: SecretUpdate = {},
): void {
  const names = missing.filter(({ name }) => !Object.hasOwn(given, name));
  if (names.length === 0) return;
  const list = names.map(({ name, reason }) => `${name} (${reason})`).join(', ');
  process.emitWarning(`conversation ${id} has no value for: ${list}`, 'SecretWarning');
}

function withoutValues(secrets: SecretUpdate): SecretUpdate {
  return Object.fromEntries(Object.entries(secrets).map(([name, input]) => [name, withoutValue(input)]));
}

function withoutValue(input: SecretInput | null): SecretInput | null {
  if (typeof input === 'string') return ANY_VALUE;
  if (typeof input !== 'object' || input === null || !('value' in input) || typeof input.value !== 'string')
    return input;
  return { ...input, value: ANY_VALUE };
}

/**
 * Lends the secrets of the agent's `agent_context.secrets` to the vault, for the processes that name them. If there is no vault
 * that takes them, a process warning names them.
 */
export function lendContextSecrets(vault: SecretVault | undefined, agent: Agent, conversationId: string): void {
  const secrets = contextSecrets(agent);
  const names = Object.keys(secrets);
  if (names.length === 0) return;
  if (vault?.lend) return vault.lend(secrets);
  const why = vault ? 'its vault accepts no secrets from agents' : 'it has no vault';
  process.emitWarning(`conversation ${conversationId} cannot use ${names.join(', ')}: ${why}`, 'SecretWarning');
}

function contextSecrets(agent: Agent): JsonObject {
  const { agent_context: context } = agent.describe({ secrets: 'plain' });
  const { secrets } = isJsonObject(context) ? context : {};
  return isJsonObject(secrets) ? secrets : {};
}
