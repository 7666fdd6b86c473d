import {
  type AgentSession,
  ConversationError,
  type ConversationState,
  errorText,
  isConversationError,
  type Transaction,
  truncateMiddle,
} from '@conv/core';
import { drafts, type ActionEvent } from '@conv/core/events';

import { dropHandles, outlivesProcess } from './call-handles.ts';
import { interruptedResult } from './interrupted-calls.ts';
import { appendQueued } from './message-queue.ts';
import { failureDraft } from './failure-draft.ts';

/** Maximum characters of an error in the log. */
const MAX_DETAIL = 20_000;

/** Records an interruption: results for the unfinished calls, the last words of the agent, then the event, unless the run had ended just before. */
export async function recordInterruption(
  transaction: Transaction,
  mayHaveRun: (action: ActionEvent) => boolean,
  session: Pick<AgentSession, 'interrupted'> | undefined,
): Promise<void> {
  const { executionStatus } = transaction.state;
  if (executionStatus !== 'running' && executionStatus !== 'idle') return;
  for (const action of transaction.openActions) {
    await transaction.append(interruptedResult(action, mayHaveRun(action), transaction.state));
  }
  dropHandles(transaction);
  const told = session?.interrupted?.();
  if (told) {
    await transaction.append(...told.events);
    transaction.update({ add: { agentState: told.agentState } });
  }
  await appendQueued(transaction);
  await transaction.append(drafts.interrupt());
}

/** Records a failure: results for calls that may have run, and an event with the error. Other calls wait for the next run. */
export async function recordFailure(
  transaction: Transaction,
  mayHaveRun: (action: ActionEvent) => boolean,
  error: unknown,
  mask: (text: string) => string,
): Promise<void> {
  for (const action of transaction.openActions) {
    if (mayHaveRun(action) || outlivesProcess(transaction.state, action))
      await transaction.append(interruptedResult(action, true, transaction.state));
  }
  dropHandles(transaction);
  keepApproved(transaction);
  await appendQueued(transaction);
  if (transaction.state.executionStatus === 'error') return;
  const code = errorCode(error);
  // mask before the cut, because half a value is not recognised
  const detail = truncateMiddle(mask(errorText(error)), MAX_DETAIL);
  await transaction.append(failureDraft(code, detail));
}

/** Keeps only a person's approvals: the next attempt of the run executes these calls and no others (P10). */
function keepApproved(transaction: Transaction): void {
  const approved = Object.entries(transaction.state.calls).filter(([, phase]) => phase === 'approved');
  transaction.update({ set: { calls: Object.fromEntries(approved) } });
}

/** Records that the run used up its iterations. */
export async function recordLimit(transaction: Transaction, maxIterations: number): Promise<void> {
  const detail = `Agent reached maximum iterations limit (${maxIterations}).`;
  await transaction.append(failureDraft('MaxIterationsReached', detail));
}

/** Returns the error that a failed run rejects with: errors of this conversation as they are, any other error as `RUN_FAILED`. */
export function toRunError(error: unknown, { id, persistenceDir }: ConversationState): unknown {
  const own = isConversationError(error) && (error.conversationId === id || error.code === 'DEADLOCK');
  if (own) return error;
  const where = persistenceDir === null ? 'in the store that it was opened with' : `in ${persistenceDir}`;
  const message = `the run of conversation ${id}, which is stored ${where}, failed: ${errorText(error)}`;
  return new ConversationError('RUN_FAILED', message, {
    cause: error,
    conversationId: id,
  });
}

/** Returns the code of a failure for the log and clients; an error may name its own (see `LlmError.conversationErrorCode`). */
function errorCode(error: unknown): string {
  if (typeof error !== 'object' || error === null) return 'Error';
  if (isConversationError(error)) return error.code;
  if ('conversationErrorCode' in error && typeof error.conversationErrorCode === 'string')
    return error.conversationErrorCode;
  return error instanceof Error ? error.name : 'Error';
}
