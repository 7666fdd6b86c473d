import { isConversationError, type SecretInput } from '@conv/core';
import type { StartConversationRequest } from '@conv/openhands/rest';

import type { ConversationHost } from '../hosting/conversation-host.ts';
import { invalidMember } from '../http/api-error.ts';

/** Placeholder of a value when only name and source of a secret are checked. */
const ANY_VALUE = 'a value that is long enough';

/** Returns the secrets that the agent may have, whose names `secret_refs` of its profile has. Default: all. */
export function allowedSecrets<Sources extends StartConversationRequest['secrets']>(
  sources: Sources,
  profile: unknown,
): Sources {
  const { secret_refs: names } = Object(profile) as Readonly<Record<string, unknown>>;
  if (!Array.isArray(names)) return sources;
  return Object.fromEntries(Object.entries(sources).filter(([name]) => names.includes(name))) as Sources;
}

/**
 * Returns the protocol's secrets in the form of a vault. A secret whose value is null is left out, because it has no new value. Throws
 * {@link ApiError} 422 with the name of a secret that a vault refuses.
 */
export function toSecrets(
  { options: { secrets: vault } }: ConversationHost,
  sources: StartConversationRequest['secrets'],
): Record<string, SecretInput> {
  const given = Object.entries(sources).filter(([, source]) => !('value' in source && source['value'] === null));
  const secrets = Object.fromEntries(given) as unknown as Record<string, SecretInput>;
  for (const [name, source] of Object.entries(secrets)) {
    try {
      vault?.({}).update({
        [name]: 'value' in (source as object) ? { ...(source as object), value: ANY_VALUE } : source,
      });
    } catch (error) {
      if (!isConversationError(error, 'INVALID_INPUT')) throw error;
      throw invalidMember(['secrets', name], error.text, error);
    }
  }
  return secrets;
}
