import type { ConfirmationPolicy, JsonObject, SecurityAnalyzerDescription } from '@conv/core';
import { isSameJson } from '@conv/core/platform';
import { commandRoutes, conversationRoutes } from '@conv/openhands/rest';

import { fieldsOf } from '../sources/wire-state.ts';
import { ConversationApi } from '../transport/conversation-api.ts';
import type { ConversationLink } from './conversation-link.ts';
import type { ModelSwitch } from './model-switch.ts';

/** A fork that the server has made. */
export interface MadeFork {
  readonly id: string;
  /** The server's description of the fork; `undefined` if its answer was lost. */
  readonly told: JsonObject | undefined;
}

/**
 * Gives a fork the settings that OpenHands' server does not copy. There, a fork has the policy and the analyzer with which its
 * source was created, so a policy that became stricter since then would be lost (P10). It also lacks the key of its model. If this
 * fails, deletes the fork and rejects with the reason.
 */
export async function completeFork(
  { state, capabilities, api: source, follower, closed }: ConversationLink,
  models: ModelSwitch,
  { id, told }: MadeFork,
): Promise<void> {
  // a server that gives its commits forks the state, and all settings are in it
  if (capabilities.commits) return;
  const fork = new ConversationApi(source.client, id, closed);
  try {
    // another client may have changed the settings since
    await follower.sync();
    const { confirmationPolicy, securityAnalyzer } = fieldsOf(told ?? (await fork.info()));
    // the analyzer first, because a policy without ratings asks about everything
    if (!isSameJson(securityAnalyzer ?? null, state.securityAnalyzer)) {
      const body = { security_analyzer: state.securityAnalyzer as SecurityAnalyzerDescription | null };
      await fork.call(commandRoutes.setSecurityAnalyzer, { body });
    }
    if (!isSameJson(confirmationPolicy, state.confirmationPolicy)) {
      // as the server described it, because the description may have kinds that this client does not know
      const body = { policy: state.confirmationPolicy as ConfirmationPolicy };
      await fork.call(commandRoutes.setConfirmationPolicy, { body });
    }
    await models.giveTo(fork);
  } catch (error) {
    await fork.call(conversationRoutes.delete).catch(() => {});
    throw error;
  }
}
