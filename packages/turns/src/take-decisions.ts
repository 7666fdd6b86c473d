import { isConversationError, type Conversation } from '@conv/core';

import type { Taken } from './answer-run.ts';
import type { Decision } from './client-request.ts';
import { turns } from './turns.ts';

/** Stores the decisions of a request that was checked. Decisions that the log has, or that are made elsewhere meanwhile, change nothing. */
export async function takeDecisions(conversation: Conversation, decisions: readonly Decision[]): Promise<Taken> {
  let taken: Taken = 'nothing';
  for (const decision of decisions) {
    const { actionId } = decision;
    const { calls, pendingActions } = conversation.state;
    const phase = calls[actionId];
    const isOutput = 'output' in decision;
    if (!pendingActions.some(({ id }) => id === actionId) || (!isOutput && phase !== undefined)) continue;
    try {
      await take(conversation, decision);
    } catch (error) {
      const isElsewhere = isConversationError(error, 'UNKNOWN_ACTION') && (!isOutput || phase === 'started');
      if (!isElsewhere) throw error;
      // until then the call would be told again, as a call that still waits for its output
      if (isOutput) await untilAnswered(conversation, actionId);
      continue;
    }
    const isApproved = !isOutput && decision.approved;
    if (isApproved || taken === 'nothing') taken = isApproved ? 'approved' : 'decided';
  }
  return taken;
}

function take(conversation: Conversation, decision: Decision): Promise<void> {
  const { actionId } = decision;
  if (!('output' in decision))
    return decision.approved ? conversation.approve([actionId]) : conversation.reject([actionId], decision.reason);
  const { output: content, isError = false } = decision;
  return conversation.answerCall(actionId, { content, isError });
}

/** Resolves when a call has its result, or the conversation has closed. */
async function untilAnswered(conversation: Conversation, actionId: string): Promise<void> {
  const after = ((await conversation.events.indexOf(actionId)) ?? 0) - 1;
  for await (const change of turns(conversation, { after })) {
    const item = change.type === 'item' ? change.item : undefined;
    if (item?.kind === 'call' && item.actionId === actionId && item.result) return;
  }
}
