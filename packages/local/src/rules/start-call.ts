import type { CallPhase, Transaction } from '@conv/core';
import type { ActionEvent } from '@conv/core/events';

import { supersede } from './approvals.ts';
import type { BlockedCall, CallSchedule } from './call-schedule.ts';
import { hasQueuedUserMessage } from './message-queue.ts';

/** A call whose turn it is. */
export interface NextCall {
  readonly action: ActionEvent;
  /** Its start is in this commit. Else hooks are to be asked first. */
  readonly started: boolean;
}

/** Whose turn it is, and who waits for what they hold. */
export interface NextCalls {
  readonly next: readonly NextCall[];
  readonly blocked: readonly BlockedCall[];
}

/** Which calls hooks are asked about before they start. */
export type IsGated = (action: ActionEvent) => boolean;

/**
 * Begins the calls that may run now and marks those as started, in the caller's commit, that are not gated. When none runs,
 * what is left of a running conversation's calls waits for a person, who may have spoken by a message already.
 */
export async function startNext(
  transaction: Transaction,
  schedule: CallSchedule,
  isGated: IsGated,
): Promise<NextCalls> {
  const { pendingActions, state } = transaction;
  const waiting = pendingActions.filter((action) => mayStart(state.calls[action.id]) && !schedule.has(action));
  const { begun, blocked } = schedule.begin(waiting);
  const next = begun.map((action) => ({ action, started: !isGated(action) }));
  for (const { action, started } of next) if (started) markStarted(transaction, action);
  if (schedule.size > 0 || pendingActions.length === 0 || state.executionStatus !== 'running') return { next, blocked };
  if (hasQueuedUserMessage(transaction)) await supersede(transaction);
  else transaction.update({ set: { executionStatus: 'waiting_for_confirmation' } });
  return { next, blocked };
}

/** Has the schedule count the calls that a commit before has started, and nobody runs yet. */
export function resumeStarted({ pendingActions, state }: Transaction, schedule: CallSchedule): readonly NextCall[] {
  const started = pendingActions.filter(({ id }) => state.calls[id] === 'started');
  for (const action of started) schedule.resume(action);
  return started.map((action) => ({ action, started: true }));
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
