import type { Platform } from '@conv/core/platform';
import type { Decision } from '@conv/local';

import type { Caller } from '../auth/principal.ts';
import type { HostedConversation } from '../hosting/hosted-conversation.ts';
import { undecidedIds } from '../hosting/undecided-ids.ts';

/** Returns who decides now, for the commit of the decision. Keys of the configuration have no name. */
export function decisionOf({ name }: Caller, { now }: Pick<Platform, 'now'>): Decision {
  return name === null ? {} : { by: name, at: new Date(now()).toISOString() };
}

/**
 * Returns what approves, in the name of the caller, the calls that a run would approve now: everything that waits, unless a person has approved
 * some by name, or has sent a message since. Calls that come to wait before it is called are not among them; it rejects `UNKNOWN_ACTION` if one
 * of its calls was decided meanwhile.
 */
export function approvalOfRun(
  { conversation, fields }: HostedConversation,
  caller: Caller,
  platform: Pick<Platform, 'now'>,
): () => Promise<void> {
  const { executionStatus, calls, queue } = fields;
  const isAsked = executionStatus === 'waiting_for_confirmation' && queue.length === 0;
  const { pendingActions } = conversation.state;
  const hasNamed = pendingActions.some(({ id }) => calls[id] === 'approved');
  const asked = undecidedIds(conversation);
  return async () => {
    if (caller.name !== null && isAsked && !hasNamed && asked.length > 0)
      await conversation.approve(asked, decisionOf(caller, platform));
  };
}
