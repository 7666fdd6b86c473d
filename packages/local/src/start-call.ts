import type { CallPhase, Transaction } from '@conv/core';
import type { ActionEvent } from '@conv/core/events';

import { supersede } from './approvals.ts';
import { hasQueuedUserMessage } from './message-queue.ts';

/** The call that is next. */
export interface NextCall {
  readonly action: ActionEvent;
  /** Its start is in this commit. Else hooks are to be asked first. */
  readonly started: boolean;
}

/** Which calls hooks are asked about before they start. */
export type IsGated = (action: ActionEvent) => boolean;

/**
 * Marks the first call that may start as started, in the caller's commit, unless it is gated, and returns it. When there is
 * none, what is left of a running conversation's calls waits for a person, who may have spoken by a message already.
 */
export async function startNext(transaction: Transaction, isGated: IsGated): Promise<NextCall | undefined> {
  const { pendingActions, state } = transaction;
  const action = pendingActions.find(({ id }) => mayStart(state.calls[id]));
  if (action) {
    const started = !isGated(action);
    if (started) markStarted(transaction, action);
    return { action, started };
  }
  if (pendingActions.length === 0 || state.executionStatus !== 'running') return undefined;
  if (hasQueuedUserMessage(transaction)) await supersede(transaction);
  else transaction.update({ set: { executionStatus: 'waiting_for_confirmation' } });
  return undefined;
}

/** The call that a commit before has started, and nobody runs yet. */
export function startedCall({ pendingActions, state }: Transaction): NextCall | undefined {
  const action = pendingActions.find(({ id }) => state.calls[id] === 'started');
  return action && { action, started: true };
}

/** Whether this call may still start: it may have been rejected, or its permission taken back. */
export function isPermitted({ pendingActions, state }: Transaction, { id }: ActionEvent): boolean {
  return mayStart(state.calls[id]) && pendingActions.some((pending) => pending.id === id);
}

/** Its tool is going to run. */
export function markStarted(transaction: Transaction, { id }: ActionEvent): void {
  transaction.update({ add: { calls: { [id]: 'started' } } });
}

function mayStart(phase: CallPhase | undefined): boolean {
  return phase === 'allowed' || phase === 'approved';
}
