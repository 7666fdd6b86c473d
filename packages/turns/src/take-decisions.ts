import { isConversationError, type Conversation, type JsonObject } from '@conv/core';
import { isSameJson } from '@conv/core/platform';

import type { Taken } from './answer-run.ts';
import { argumentsOf } from './call-facts.ts';
import type { Decision } from './client-request.ts';
import { callAt } from './find-call.ts';
import { turns } from './turns.ts';

/** Stores the decisions of a request that was checked. Decisions that the log has, or that are made elsewhere meanwhile, change nothing. */
export async function takeDecisions(conversation: Conversation, decisions: readonly Decision[]): Promise<Taken> {
  const edits = await editsIn(conversation, decisions);
  let taken: Taken = (await takeEdits(conversation, edits)) ? 'approved' : 'nothing';
  for (const decision of decisions.filter(({ actionId }) => !edits.has(actionId))) {
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

type Edits = ReadonlyMap<string, JsonObject>;

/** Resolves with the arguments of the open calls that are approved with other arguments than their own. */
async function editsIn(conversation: Conversation, decisions: readonly Decision[]): Promise<Edits> {
  const edits = new Map<string, JsonObject>();
  for (const decision of decisions) {
    const edit = 'approved' in decision && decision.approved ? decision.edit : undefined;
    if (edit === undefined || !isOpen(conversation, decision)) continue;
    const call = await callAt(conversation.events, decision.actionId);
    // clients send again what they were told of a call
    if (!call || !isSameJson(argumentsOf(call), edit)) edits.set(decision.actionId, edit);
  }
  return edits;
}

/**
 * Approves the calls with edits first and together, because only they can be refused for their content: then nothing of the request is
 * stored. The calls that still wait go together again if others were decided elsewhere meanwhile. Resolves with true if any was approved.
 */
async function takeEdits(conversation: Conversation, edits: Edits): Promise<boolean> {
  if (edits.size === 0) return false;
  try {
    await conversation.approve([...edits.keys()], { edits: Object.fromEntries(edits) });
    return true;
  } catch (error) {
    if (!isConversationError(error, 'UNKNOWN_ACTION')) throw error;
  }
  if (edits.size === 1) return false;
  const open = new Map([...edits].filter(([actionId]) => isOpen(conversation, { actionId, approved: true })));
  if (open.size < edits.size) return takeEdits(conversation, open);
  // the state of a remote conversation may not tell yet which one it was
  let isTaken = false;
  for (const edit of edits) if (await takeEdits(conversation, new Map([edit]))) isTaken = true;
  return isTaken;
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
