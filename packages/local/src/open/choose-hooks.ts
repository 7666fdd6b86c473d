import { isDeepStrictEqual } from 'node:util';

import { ConversationError, isConversationError, type Hooks, type HooksFactory, type JsonObject } from '@conv/core';

/**
 * The hooks of a configuration: the given ones when it is theirs, else built again. Throws `HOOKS_MISSING` when they cannot
 * be: what protects a conversation is never dropped in silence (P4).
 */
export function chooseHooks(
  config: JsonObject | null,
  given: Hooks | null | undefined,
  find: HooksFactory | undefined,
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
 * As {@link chooseHooks} for a conversation that is stored: it opens without its hooks, and whatever has to ask them rejects
 * `HOOKS_MISSING`, so that nothing happens unguarded (P4).
 */
export function storedHooks(
  config: JsonObject | null,
  given: Hooks | null | undefined,
  find: HooksFactory | undefined,
): Hooks | undefined {
  try {
    return chooseHooks(config, given, find);
  } catch (error) {
    if (config === null || !isConversationError(error, 'HOOKS_MISSING')) throw error;
    return missingHooks(config, error);
  }
}

/** Hooks that claim every moment and fail in each. */
function missingHooks(config: JsonObject, error: ConversationError): Hooks {
  return {
    config,
    start: ({ conversationId }) => ({
      handles: () => true,
      run: async () => {
        throw new ConversationError('HOOKS_MISSING', error.message.replace(/^\[\w+\] /, ''), {
          cause: error.cause,
          conversationId,
        });
      },
      close: async () => {},
    }),
  };
}

/** A configuration that OpenHands wrote without a hook in it: an empty list for each moment. */
function isEmpty(config: JsonObject): boolean {
  return Object.values(config).every((hooks) => hooks === null || (Array.isArray(hooks) && hooks.length === 0));
}
