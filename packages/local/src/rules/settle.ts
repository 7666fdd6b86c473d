import type { ConversationState, StateFields, Transaction } from '@conv/core';
import { pause, userReject, type ActionEvent } from '@conv/core/events';

import { interruptedResult } from './interrupted-calls.ts';
import { appendQueued, hasQueuedUserMessage } from './message-queue.ts';

/**
 * Brings a conversation to rest that no run works on (P4, P5): after a crash, in a fork of a running one, and when a run's
 * own end could not be stored. Calls that had started get the result "outcome unknown"; calls that had not are pending
 * and wait for a person, whose earlier approval is forgotten; a run that was on is paused. Changes nothing that is at rest.
 */
export async function bringToRest(transaction: Transaction): Promise<void> {
  const wasRunning = transaction.state.executionStatus === 'running';
  await settleCalls(transaction);
  const { pendingActions, state } = transaction;
  // whoever runs it next, another program for one, is not to be taken for this run
  if (wasRunning && state.lastRun) transaction.update({ set: { lastRun: null } });
  if (pendingActions.length > 0 && (wasRunning || state.executionStatus === 'idle'))
    transaction.update({ set: { executionStatus: 'waiting_for_confirmation' } });
  else if (wasRunning) await transaction.append({ ...pause(), source: 'environment' });
}

/**
 * Settles what a run left behind that nobody works on any more, as {@link bringToRest} does, but leaves the run on: it can be taken
 * up. Where calls waited for a person beside those that ran, all that is left of them does. Changes nothing that is settled.
 */
export async function settleRun(transaction: Transaction): Promise<void> {
  const { lastRun } = transaction.state;
  const isAsked = lastRun?.phase === 'working' && asksPerson(transaction);
  await settleCalls(transaction);
  if (isAsked) transaction.update({ set: { executionStatus: 'waiting_for_confirmation', lastRun: null } });
  else if (lastRun?.phase === 'working') transaction.update({ set: { lastRun: { ...lastRun, phase: 'waiting' } } });
}

/** Whether a run lets calls wait that nobody has permitted; what the user has said since goes before them. */
function asksPerson(transaction: Transaction): boolean {
  const { pendingActions, state } = transaction;
  const { calls } = state;
  const isOurs = Object.keys(calls).length > 0;
  return isOurs && !hasQueuedUserMessage(transaction) && pendingActions.some(({ id }) => !calls[id]);
}

/** Whether what is on record is a run that can be taken up: of the conversation's own, which nobody but its user waits for. */
export function keepsRun(
  { executionStatus, lastRun, parentId }: StateFields,
  { interruptedRun }: { readonly interruptedRun?: 'rest' | 'keep' },
): boolean {
  return interruptedRun === 'keep' && executionStatus === 'running' && lastRun !== null && parentId === null;
}

async function settleCalls(transaction: Transaction): Promise<void> {
  const wasRunning = transaction.state.executionStatus === 'running';
  const mayHaveRun = startedBefore(transaction, wasRunning);
  for (const action of transaction.openActions) {
    if (mayHaveRun(action)) await transaction.append(interruptedResult(action, true, transaction.state));
    else if (!isExecutable(action)) await transaction.append(interruptedResult(action, false, transaction.state));
  }
  forgetPermissions(transaction, wasRunning);
  await rejectBlocked(transaction);
  await appendQueued(transaction);
}

/** Another program wrote down what its hooks blocked: that is rejected, and nothing of it is kept for calls that are over. */
async function rejectBlocked(transaction: Transaction): Promise<void> {
  const { pendingActions, state } = transaction;
  const { blockedActions } = state;
  if (Object.keys(blockedActions).length === 0) return;
  for (const action of pendingActions)
    if (Object.hasOwn(blockedActions, action.id))
      await transaction.append(userReject(action, blockedActions[action.id], 'hook'));
  transaction.update({ unset: ['blockedActions'] });
}

/** Forgets what is noted of messages and actions that are neither on record nor queued, as after a fork without them. */
export async function forgetGone(state: ConversationState): Promise<void> {
  const { uncheckedMessages, blockedMessages, assessments, queue } = state;
  const gone = new Set<string>();
  for (const id of [...uncheckedMessages, ...Object.keys(blockedMessages), ...Object.keys(assessments)])
    if (!queue.some((queued) => queued.id === id) && (await state.events.indexOf(id)) === undefined) gone.add(id);
  if (gone.size === 0) return;
  const without = <Value>(map: Readonly<Record<string, Value>>): Readonly<Record<string, Value>> =>
    Object.fromEntries(Object.entries(map).filter(([id]) => !gone.has(id)));
  await state.update({
    set: {
      uncheckedMessages: uncheckedMessages.filter((id) => !gone.has(id)),
      blockedMessages: without(blockedMessages),
      assessments: without(assessments),
    },
  });
}

/** An approval holds for the run that it was given to, and what a policy allowed for the run that it was allowed in. */
function forgetPermissions(transaction: Transaction, wasRunning: boolean): void {
  const { calls } = transaction.state;
  const kept = wasRunning ? [] : Object.entries(calls).filter(([, phase]) => phase !== 'allowed');
  if (kept.length < Object.keys(calls).length) transaction.update({ set: { calls: Object.fromEntries(kept) } });
}

function startedBefore({ state }: Transaction, wasRunning: boolean): (action: ActionEvent) => boolean {
  const { calls, lastRun } = state;
  // a run of ours notes calls before it starts any; a running conversation without notes was somebody else's
  const foreign = wasRunning && lastRun?.phase !== 'waiting' && Object.keys(calls).length === 0;
  return (action) => isExecutable(action) && (foreign || calls[action.id] === 'started');
}

function isExecutable({ action }: ActionEvent): boolean {
  return action !== undefined && action !== null;
}
