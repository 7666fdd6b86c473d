import type { ApproveOptions } from '@conv/core';
import type { Platform } from '@conv/core/platform';
import type { Approval, Decision } from '@conv/local';

import { checkCallsOutside, checkOutside } from '../auth/approver-checks.ts';
import type { Caller } from '../auth/principal.ts';
import type { HostedConversation } from '../hosting/hosted-conversation.ts';
import { undecidedCalls } from '../hosting/undecided-calls.ts';

/** Returns who decides now, for the commit of the decision. Keys of the configuration have no name. */
export function decisionOf({ name }: Caller, { now }: Pick<Platform, 'now'>): Decision {
  return name === null ? {} : { by: name, at: new Date(now()).toISOString() };
}

/**
 * Approves calls in the name of the caller; without ids, the calls that a person can decide on now. Throws `ApiError` 403 for a call that
 * this caller may not approve; an edited call counts as it will run. Rejects as `Conversation.approve`.
 */
export async function approveFor(
  { conversation }: HostedConversation,
  caller: Caller,
  { ids, edits = {}, now }: Pick<Platform, 'now'> & ApproveOptions & { readonly ids?: readonly string[] | undefined },
): Promise<void> {
  const undecided = undecidedCalls(conversation);
  const asked = ids ?? undecided.map(({ id }) => id);
  checkOutside(
    caller,
    conversation.state,
    undecided.filter(({ id }) => asked.includes(id) && !Object.hasOwn(edits, id)),
  );
  const checkEdits: Approval['checkEdits'] = (edited) => checkCallsOutside(caller, edited);
  await conversation.approve(asked, { ...decisionOf(caller, { now }), edits, checkEdits });
}

/**
 * Returns what approves, in the name of the caller, the calls that a run would approve now: everything that waits, unless a person has approved
 * some by name, or has sent a message since. Calls that come to wait before it is called are not among them; it rejects `UNKNOWN_ACTION` if one
 * of its calls was decided meanwhile. Throws `ApiError` 403 for a call that this caller may not approve.
 */
export function approvalOfRun(
  { conversation, fields }: HostedConversation,
  caller: Caller,
  platform: Pick<Platform, 'now'>,
): () => Promise<void> {
  const { executionStatus, calls, queue } = fields;
  const isAsked = executionStatus === 'waiting_for_confirmation' && queue.length === 0;
  const undecided = undecidedCalls(conversation);
  const hasNamed = undecided.some(({ id }) => calls[id] === 'approved');
  const asked = isAsked && !hasNamed ? undecided : [];
  checkOutside(caller, conversation.state, asked);
  return async () => {
    if (caller.name === null || asked.length === 0) return;
    const ids = asked.map(({ id }) => id);
    await conversation.approve(ids, decisionOf(caller, platform));
  };
}
