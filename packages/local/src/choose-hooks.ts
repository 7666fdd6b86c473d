import { isDeepStrictEqual } from 'node:util';

import { ConversationError, type Hooks, type HooksFactory, type JsonObject } from '@conv/core';

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

/** A configuration that OpenHands wrote without a hook in it: an empty list for each moment. */
function isEmpty(config: JsonObject): boolean {
  return Object.values(config).every((hooks) => hooks === null || (Array.isArray(hooks) && hooks.length === 0));
}
