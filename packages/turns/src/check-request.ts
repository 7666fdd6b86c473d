import { checks, ConversationError, type Conversation, type ConversationView, type MessagePart } from '@conv/core';
import { isJsonObject } from '@conv/core/platform';

import { isClientCall, isQuestion } from './call-facts.ts';
import { checkMessage } from './check-message.ts';
import type { Decision } from './client-request.ts';

/**
 * Checks all of a request before any of it is stored, so that a refused request changes nothing. `content` is that of a message that the
 * conversation does not have yet. Rejects as `takeRequest`.
 */
export async function checkRequest(
  conversation: Conversation,
  decisions: readonly Decision[],
  content: readonly MessagePart[] | undefined,
  mayApprove: () => boolean | Promise<boolean>,
): Promise<void> {
  const { state } = conversation;
  for (const decision of decisions) await expectCall(conversation, decision);
  const decided = decisions.filter((decision) => 'approved' in decision && isUndecided(state, decision.actionId));
  if (decided.length > 0 && !(await mayApprove()))
    throw new ConversationError('DENIED', 'expected a sender who may approve');
  if (!content) return;
  const approved = decided.find((decision) => 'approved' in decision && decision.approved);
  if (approved) throw withMessage(`expected the approval of call ${approved.actionId} without a message`);
  expectOutputs(state, decisions);
  if (decisions.length > 0) checkMessage(content);
}

/** Clients send again what the log has. */
async function expectCall({ events, state }: Conversation, decision: Decision): Promise<void> {
  const { actionId } = decision;
  if ('approved' in decision && decision.edit !== undefined && !(decision.approved && isJsonObject(decision.edit)))
    throw checks.invalid(
      `expected the arguments of call ${actionId} as an object, and the call as approved; nothing was decided`,
    );
  const pending = state.pendingActions.find(({ id }) => id === actionId);
  const takes = !('output' in decision) || isClientCall({ action: pending?.action ?? null });
  if (pending ? takes : (await events.indexOf(actionId)) !== undefined) return;
  throw new ConversationError('UNKNOWN_ACTION', `expected a call that waits, found ${JSON.stringify(actionId)}`);
}

function isUndecided({ pendingActions, calls }: ConversationView, actionId: string): boolean {
  return calls[actionId] === undefined && pendingActions.some(({ id }) => id === actionId);
}

function withMessage(problem: string): ConversationError {
  const reason = 'which would take the place of the call; send it when the call has run, nothing was stored';
  return new ConversationError('INVALID_INPUT', `${problem}, ${reason}`);
}

function expectOutputs(state: ConversationView, decisions: readonly Decision[]): void {
  const given = new Set(decisions.map(({ actionId }) => actionId));
  const open = state.pendingActions.find((call) => {
    const { id, action } = call;
    if (!isClientCall({ action: action ?? null }) || state.calls[id] !== 'started') return false;
    // a message answers a question, so it does not wait with it
    return !given.has(id) && !isQuestion(state, call);
  });
  if (open)
    throw new ConversationError(
      'INVALID_INPUT',
      `expected the output of call ${open.id} with the message, found none; nothing was sent`,
    );
}
