import type { CallPhase, ConversationState, Transaction } from '@conv/core';
import { agentError, pause, type ActionEvent, type ErrorClassification, type EventDraft } from '@conv/core/events';

import { appendQueued } from './message-queue.ts';

const INTERNAL: ErrorClassification = { kind: 'internal', retryable: false, user_action: 'none' };

/** What the model reads as the result of a call whose end nobody saw. */
export const OUTCOME_UNKNOWN =
  'This tool call was interrupted before its result was recorded. Its outcome is unknown: it may have run in full, in part, or not at all. Check before repeating it.';

/** What the model reads as the result of a call that was stopped before it began. */
export const NOT_STARTED = 'This tool call was interrupted before it started. It had no effect.';

/**
 * Brings a conversation whose last owner ended without closing it to rest, in one commit (P4, P5): calls that had started get
 * the result "outcome unknown", calls that had not are pending again and wait for approval, a run that was on is paused.
 */
export async function recover(state: ConversationState): Promise<void> {
  await state.transaction(async (transaction) => {
    const wasRunning = transaction.state.executionStatus === 'running';
    const { calls } = transaction.state;
    for (const action of transaction.openActions.filter((open) => mayHaveRun(open, calls[open.id], wasRunning))) {
      await transaction.append(interrupted(action, OUTCOME_UNKNOWN));
    }
    if (wasRunning) forgetApprovals(transaction);
    await appendQueued(transaction);
    if (!wasRunning) return;
    if (transaction.pendingActions.length > 0)
      transaction.update({ set: { executionStatus: 'waiting_for_confirmation' } });
    else await transaction.append({ ...pause(), source: 'environment' });
  });
}

/** The result of a call that ended before its tool did. */
export function interrupted(action: ActionEvent, text: string): EventDraft {
  return agentError(action, text, INTERNAL);
}

function mayHaveRun(action: ActionEvent, phase: CallPhase | undefined, wasRunning: boolean): boolean {
  if (action.action === undefined || action.action === null) return true;
  // we note every call of a run before it starts; a running conversation without such a note was somebody else's
  return phase === 'started' || (wasRunning && phase === undefined);
}

/** An approval holds for the run that it was given to; after a crash a person is asked again. */
function forgetApprovals(transaction: Transaction): void {
  if (Object.keys(transaction.state.calls).length > 0) transaction.update({ set: { calls: {} } });
}
