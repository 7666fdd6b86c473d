import { isDeepStrictEqual } from 'node:util';

import { ConversationError, isConversationError, type Hooks, type StoredHooks } from '@conv/core';

/**
 * Returns the hooks of a configuration: the given hooks if they have it, else the hooks built again. Throws `HOOKS_MISSING` if
 * they cannot be built, because a protection is never dropped in silence (P4).
 */
export function chooseHooks(
  config: StoredHooks | null,
  given: Hooks | null | undefined,
  find: ((config: StoredHooks) => Hooks | undefined) | undefined,
): Hooks | undefined {
  if (config === null || isEmpty(config)) return undefined;
  if (given && isDeepStrictEqual(given.config, config)) return given;
  let cause: unknown;
  try {
    const hooks = find?.(config);
    if (hooks) return hooks;
  } catch (error) {
    cause = error;
  }
  throw new ConversationError('HOOKS_MISSING', 'the hooks of the conversation cannot be built here; give them', {
    cause,
  });
}

/**
 * As {@link chooseHooks}, for a stored conversation. It opens without its hooks, and each action that has to ask them rejects
 * `HOOKS_MISSING`, so that nothing happens unguarded (P4).
 */
export function storedHooks(
  config: StoredHooks | null,
  given: Hooks | null | undefined,
  find: ((config: StoredHooks) => Hooks | undefined) | undefined,
): Hooks | undefined {
  try {
    return chooseHooks(config, given, find);
  } catch (error) {
    if (config === null || !isConversationError(error, 'HOOKS_MISSING')) throw error;
    return missingHooks(config, error);
  }
}

/** Returns hooks that handle every moment and fail in each. */
function missingHooks(config: StoredHooks, error: ConversationError): Hooks {
  return {
    config,
    start: ({ conversationId }) => ({
      handles: () => true,
      run: async () => {
        throw new ConversationError('HOOKS_MISSING', error.text, {
          cause: error.cause,
          conversationId,
        });
      },
      close: async () => {},
    }),
  };
}

/** True if the configuration holds no hook, as OpenHands writes it: an empty list for each moment. */
function isEmpty(config: StoredHooks): boolean {
  return Object.values(config).every((hooks) => hooks === null || (Array.isArray(hooks) && hooks.length === 0));
}
