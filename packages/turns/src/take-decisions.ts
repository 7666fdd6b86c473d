import { isConversationError, type Conversation } from '@conv/core';

import type { Taken } from './answer-run.ts';
import type { Decision } from './client-request.ts';
import { turns } from './turns.ts';

/** Stores the decisions of a request that was checked. Decisions that the log has, or that are made elsewhere meanwhile, change nothing. */
export async function takeDecisions(conversation: Conversation, decisions: readonly Decision[]): Promise<Taken> {
  let taken: Taken = (await takeEdits(conversation, decisions)) ? 'approved' : 'nothing';
  for (const decision of decisions) {
    const { actionId } = decision;
    const phase = conversation.state.calls[actionId];
    const isOutput = 'output' in decision;
    if (!isOpen(conversation, decision)) continue;
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

/**
 * Approves the calls with edits first and together, because only they can be refused for their content: then nothing of the request is
 * stored. Resolves with true if there were any.
 */
async function takeEdits(conversation: Conversation, decisions: readonly Decision[]): Promise<boolean> {
  const edited = decisions.flatMap((decision) => {
    const isEdit = 'approved' in decision && decision.approved && decision.edit !== undefined;
    return isEdit && isOpen(conversation, decision) ? [[decision.actionId, decision.edit] as const] : [];
  });
  if (edited.length === 0) return false;
  await conversation.approve(
    edited.map(([id]) => id),
    { edits: Object.fromEntries(edited) },
  );
  return true;
}

/** True if the log has no decision on a call, or no output. */
function isOpen({ state }: Conversation, decision: Decision): boolean {
  const { actionId } = decision;
  if (!state.pendingActions.some(({ id }) => id === actionId)) return false;
  return 'output' in decision || state.calls[actionId] === undefined;
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
