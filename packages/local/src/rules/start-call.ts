import type { Transaction, StateFields } from '@conv/core';
import type { ActionEvent } from '@conv/core/events';

import { supersede } from './approvals.ts';
import type { BlockedCall, CallSchedule } from './call-schedule.ts';
import { hasQueuedUserMessage } from './message-queue.ts';

/** A call whose turn it is. */
export interface NextCall {
  readonly action: ActionEvent;
  /** True if its start is in this commit. Otherwise the hooks are asked first. */
  readonly started: boolean;
}

/** Calls whose turn it is, and calls that wait for their resources. */
export interface NextCalls {
  readonly next: readonly NextCall[];
  readonly blocked: readonly BlockedCall[];
}

/** True if the hooks are asked about a call before it starts. */
export type IsGated = (action: ActionEvent) => boolean;

/**
 * Begins the calls that may run now and, in the caller's commit, marks those without hooks as started. When no call runs, the
 * remaining calls of a running conversation wait for a person; a queued user message rejects them instead.
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

/** Adds the calls to the schedule that an earlier commit has started and no process runs yet. */
export function resumeStarted({ pendingActions, state }: Transaction, schedule: CallSchedule): readonly NextCall[] {
  const started = pendingActions.filter(({ id }) => state.calls[id] === 'started');
  for (const action of started) schedule.resume(action);
  return started.map((action) => ({ action, started: true }));
}

/** True if this call may still start: it was not rejected, and its permission was not taken back. */
export function isPermitted({ pendingActions, state }: Transaction, { id }: ActionEvent): boolean {
  return mayStart(state.calls[id]) && pendingActions.some((pending) => pending.id === id);
}

/** Marks the call as started, before its tool runs. */
export function markStarted(transaction: Transaction, { id }: ActionEvent): void {
  transaction.update({ add: { calls: { [id]: 'started' } } });
}

function mayStart(phase: StateFields['calls'][string] | undefined): boolean {
  return phase === 'allowed' || phase === 'approved';
}
