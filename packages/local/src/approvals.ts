import { ConversationError, type Transaction } from '@conv/core';
import { userReject, type ActionEvent } from '@conv/core/events';

import { appendQueued } from './message-queue.ts';

/** What a model reads when a message came instead of an approval. */
const SUPERSEDED = 'The user sent a new message before this action ran.';

/** The pending actions that have not started: those that can still be approved or rejected. */
function undecidedActions({ state, pendingActions }: Transaction): readonly ActionEvent[] {
  return pendingActions.filter(({ id }) => state.calls[id] !== 'started');
}

/** The undecided actions with these ids, default all. Throws `INVALID_INPUT`, and `UNKNOWN_ACTION` for an id that is not among them. */
export function chooseActions(transaction: Transaction, ids: readonly string[] | undefined): readonly ActionEvent[] {
  const undecided = undecidedActions(transaction);
  if (ids === undefined) return undecided;
  if (!Array.isArray(ids)) throw new ConversationError('INVALID_INPUT', 'actions are named by a list of their ids');
  return [...new Set(ids)].map((id) => {
    const action = undecided.find((pending) => pending.id === id);
    if (!action) throw new ConversationError('UNKNOWN_ACTION', `no pending action has the id ${JSON.stringify(id)}`);
    return action;
  });
}

/** Lets these actions start. */
export function approveActions(transaction: Transaction, actions: readonly ActionEvent[]): void {
  const calls = Object.fromEntries(
    actions.filter(({ id }) => !transaction.state.calls[id]).map(({ id }) => [id, 'approved' as const]),
  );
  if (Object.keys(calls).length > 0) transaction.update({ add: { calls } });
}

/**
 * What running means for actions that wait: those that were named run; when none was, all do, unless the user has spoken since
 * they were asked for (P10).
 */
export async function approveForRun(transaction: Transaction): Promise<void> {
  const undecided = undecidedActions(transaction);
  if (undecided.some(({ id }) => transaction.state.calls[id])) return;
  if (transaction.state.queue.length > 0) await supersede(transaction);
  else approveActions(transaction, undecided);
}

/** What the user says goes before what waits for their word: it is rejected, and queued messages are events (P10). */
export async function supersede(transaction: Transaction): Promise<void> {
  await rejectActions(transaction, undecidedActions(transaction), SUPERSEDED);
  await appendQueued(transaction);
}

/** Gives these actions the result that a person did not allow them. */
export async function rejectActions(
  transaction: Transaction,
  actions: readonly ActionEvent[],
  reason?: string,
): Promise<void> {
  await transaction.append(...actions.map((action) => userReject(action, reason)));
}

/**
 * Marks the first approved call as started, in the caller's commit, and returns it. When there is none, what is left of a
 * running conversation's calls waits for a person, who may have spoken by a message already.
 */
export async function startNext(transaction: Transaction): Promise<ActionEvent | undefined> {
  const { pendingActions, state } = transaction;
  const next = pendingActions.find(({ id }) => state.calls[id] === 'approved');
  if (next) transaction.update({ add: { calls: { [next.id]: 'started' } } });
  else if (pendingActions.length > 0 && state.executionStatus === 'running') {
    if (state.queue.length > 0) await supersede(transaction);
    else transaction.update({ set: { executionStatus: 'waiting_for_confirmation' } });
  }
  return next;
}
