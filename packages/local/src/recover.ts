import type { Transaction } from '@conv/core';
import { pause, type ActionEvent } from '@conv/core/events';

import { interruptedResult } from './interrupted-calls.ts';
import { appendQueued } from './message-queue.ts';

/**
 * Brings a conversation to rest that no run works on (P4, P5): after a crash, in a fork of a running one, and when a run's
 * own end could not be stored. Calls that had started get the result "outcome unknown"; calls that had not are pending
 * and wait for a person, whose earlier approval is forgotten; a run that was on is paused. Changes nothing that is at rest.
 */
export async function bringToRest(transaction: Transaction): Promise<void> {
  const wasRunning = transaction.state.executionStatus === 'running';
  const mayHaveRun = startedBefore(transaction, wasRunning);
  for (const action of transaction.openActions) {
    if (mayHaveRun(action)) await transaction.append(interruptedResult(action, true));
    else if (!isExecutable(action)) await transaction.append(interruptedResult(action, false));
  }
  forgetPermissions(transaction, wasRunning);
  await appendQueued(transaction);
  const { pendingActions, state } = transaction;
  if (pendingActions.length > 0 && (wasRunning || state.executionStatus === 'idle'))
    transaction.update({ set: { executionStatus: 'waiting_for_confirmation' } });
  else if (wasRunning) await transaction.append({ ...pause(), source: 'environment' });
}

/** An approval holds for the run that it was given to, and what a policy allowed for the run that it was allowed in. */
function forgetPermissions(transaction: Transaction, wasRunning: boolean): void {
  const { calls } = transaction.state;
  const kept = wasRunning ? [] : Object.entries(calls).filter(([, phase]) => phase !== 'allowed');
  if (kept.length < Object.keys(calls).length) transaction.update({ set: { calls: Object.fromEntries(kept) } });
}

function startedBefore({ state }: Transaction, wasRunning: boolean): (action: ActionEvent) => boolean {
  const { calls } = state;
  // a run of ours notes calls before it starts any; a running conversation without notes was somebody else's
  const foreign = wasRunning && Object.keys(calls).length === 0;
  return (action) => isExecutable(action) && (foreign || calls[action.id] === 'started');
}

function isExecutable({ action }: ActionEvent): boolean {
  return action !== undefined && action !== null;
}
