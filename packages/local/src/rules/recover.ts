import type { ConversationState, StateFields, Transaction } from '@conv/core';
import { drafts, type ActionEvent, type JsonObject } from '@conv/core/events';

import { recordMissingAssessments, type RiskRules } from './approvals.ts';
import { dropHandles, outlivesProcess, outlivingCalls } from './call-handles.ts';
import { interruptedResult } from './interrupted-calls.ts';
import { appendQueued, hasQueuedUserMessage } from './message-queue.ts';

/**
 * Recovers a conversation that no run works on (P4, P5): after a crash, in a fork of a running conversation, and when a run's end
 * could not be stored. Started calls get the result "outcome unknown"; questions to the user and calls with a handle stay open.
 * Calls that had not started are pending and wait for a person with their assessments; their earlier approval is forgotten. A run
 * that was active is paused. Changes nothing that is recovered.
 */
export async function recoverConversation(transaction: Transaction, risks: RiskRules): Promise<void> {
  const wasRunning = transaction.state.executionStatus === 'running';
  await recoverCalls(transaction);
  const { pendingActions, state } = transaction;
  // drop the record, so that a later run, even of another program, is not taken for this run
  if (wasRunning && state.lastRun) transaction.update({ set: { lastRun: null } });
  const kept = new Set(outlivingCalls(transaction).map(({ id }) => id));
  if (pendingActions.some(({ id }) => !kept.has(id)) && (wasRunning || state.executionStatus === 'idle')) {
    transaction.update({ set: { executionStatus: 'waiting_for_confirmation' } });
    recordMissingAssessments(transaction, risks);
  } else if (wasRunning) await transaction.append({ ...drafts.pause(), source: 'environment' });
}

/**
 * Recovers the calls of a run that no process works on, as {@link recoverConversation} does, but leaves the run active, so that it can be
 * resumed. If calls waited for a person beside running calls, the whole conversation waits for the person. Changes nothing that
 * is recovered.
 */
export async function recoverRun(transaction: Transaction, risks: RiskRules): Promise<void> {
  const { lastRun } = transaction.state;
  const isAsked = lastRun?.phase === 'working' && asksPerson(transaction);
  await recoverCalls(transaction);
  if (isAsked) {
    transaction.update({ set: { executionStatus: 'waiting_for_confirmation', lastRun: null } });
    recordMissingAssessments(transaction, risks);
  } else if (lastRun?.phase === 'working') transaction.update({ set: { lastRun: { ...lastRun, phase: 'waiting' } } });
}

/** True if calls of the run wait for a person. A user's message since then takes precedence. */
function asksPerson(transaction: Transaction): boolean {
  const { pendingActions, state } = transaction;
  const { calls } = state;
  const isOurs = Object.keys(calls).length > 0;
  return isOurs && !hasQueuedUserMessage(transaction) && pendingActions.some(({ id }) => !calls[id]);
}

/** Metadata of a conversation that works by itself although it has a parent: no call of the parent waits for its runs. */
export const WORKS_ALONE: JsonObject = { conv_works_alone: true };

/** The treatment of interrupted runs that the option asks for. */
type Treatment = { readonly interruptedRun?: 'pause' | 'resume' };

/**
 * Returns the treatment of the conversation's interrupted runs. A run of a conversation with a parent is paused, because a call of the
 * parent may wait for it, unless the metadata say that the conversation works by itself.
 */
export function treatmentOf(
  { parentId, extra }: Pick<StateFields, 'parentId' | 'extra'>,
  { interruptedRun = 'pause' }: Treatment,
): 'pause' | 'resume' {
  const isAlone = parentId === null || extra.meta['conv_works_alone'] === true;
  return isAlone ? interruptedRun : 'pause';
}

/** True if the run on record can be resumed. */
export function isResumable(fields: StateFields, options: Treatment): boolean {
  const { executionStatus, lastRun } = fields;
  return treatmentOf(fields, options) === 'resume' && executionStatus === 'running' && lastRun !== null;
}

async function recoverCalls(transaction: Transaction): Promise<void> {
  const wasRunning = transaction.state.executionStatus === 'running';
  const mayHaveRun = startedBefore(transaction, wasRunning);
  for (const action of transaction.openActions) {
    if (mayHaveRun(action)) await transaction.append(interruptedResult(action, true, transaction.state));
    else if (!isExecutable(action)) await transaction.append(interruptedResult(action, false, transaction.state));
  }
  dropHandles(transaction);
  forgetPermissions(transaction, wasRunning);
  await rejectBlocked(transaction);
  await appendQueued(transaction);
}

/** Rejects the actions that another program's hooks blocked, and drops the record of blocked actions. */
async function rejectBlocked(transaction: Transaction): Promise<void> {
  const { pendingActions, state } = transaction;
  const { blockedActions } = state;
  if (Object.keys(blockedActions).length === 0) return;
  for (const action of pendingActions)
    if (Object.hasOwn(blockedActions, action.id))
      await transaction.append(drafts.userReject(action, blockedActions[action.id], 'hook'));
  transaction.update({ unset: ['blockedActions'] });
}

/** Drops notes of messages and actions that are neither in the log nor queued, as after a fork without them. */
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

/** Drops permissions, because an approval or a policy's permission holds only for the run in which it was given. */
function forgetPermissions(transaction: Transaction, wasRunning: boolean): void {
  const { calls } = transaction.state;
  const outliving = new Set(outlivingCalls(transaction).map(({ id }) => id));
  const kept = Object.entries(calls).filter(([id, phase]) => outliving.has(id) || (!wasRunning && phase !== 'allowed'));
  if (kept.length < Object.keys(calls).length) transaction.update({ set: { calls: Object.fromEntries(kept) } });
}

function startedBefore({ state }: Transaction, wasRunning: boolean): (action: ActionEvent) => boolean {
  const { calls, lastRun } = state;
  // our runs record calls before they start any, so an active run without records belongs to another program
  const foreign = wasRunning && lastRun?.phase !== 'waiting' && Object.keys(calls).length === 0;
  return (action) =>
    isExecutable(action) && !outlivesProcess(state, action) && (foreign || calls[action.id] === 'started');
}

function isExecutable({ action }: ActionEvent): boolean {
  return action !== undefined && action !== null;
}
