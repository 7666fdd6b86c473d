import type { Platform } from '@conv/core/platform';
import type { Decision } from '@conv/local';

import type { Caller } from '../auth/principal.ts';
import type { HostedConversation } from '../hosting/hosted-conversation.ts';

/** Returns who decides now, for the commit of the decision. Keys of the configuration have no name. */
export function decisionOf({ name }: Caller, { now }: Pick<Platform, 'now'>): Decision {
  return name === null ? {} : { by: name, at: new Date(now()).toISOString() };
}

/**
 * Approves, in the name of the caller, what a run that it starts would approve: everything that waits, unless a person has approved
 * some by name, or has sent a message since.
 */
export async function approveRun(
  { conversation, fields }: HostedConversation,
  caller: Caller,
  platform: Pick<Platform, 'now'>,
): Promise<void> {
  const { executionStatus, calls, queue } = fields;
  const isAsked = executionStatus === 'waiting_for_confirmation' && queue.length === 0;
  const hasNamed = conversation.state.pendingActions.some(({ id }) => calls[id] === 'approved');
  if (caller.name !== null && isAsked && !hasNamed) await conversation.approve(undefined, decisionOf(caller, platform));
}
