import { ConversationError, type Transaction } from '@conv/core';
import { userReject, type ActionEvent } from '@conv/core/events';

/** The pending actions that have not started: those that can still be approved or rejected. */
export function undecidedActions({ state, pendingActions }: Transaction): readonly ActionEvent[] {
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

/** What running means for actions that wait: those that were named run; when none was, all do (P10). */
export function approveForRun(transaction: Transaction): void {
  const undecided = undecidedActions(transaction);
  if (undecided.every(({ id }) => !transaction.state.calls[id])) approveActions(transaction, undecided);
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
 * running conversation's calls waits for a person.
 */
export function startNext(transaction: Transaction): ActionEvent | undefined {
  const { pendingActions, state } = transaction;
  const next = pendingActions.find(({ id }) => state.calls[id] === 'approved');
  if (next) transaction.update({ add: { calls: { [next.id]: 'started' } } });
  else if (pendingActions.length > 0 && state.executionStatus === 'running')
    transaction.update({ set: { executionStatus: 'waiting_for_confirmation' } });
  return next;
}
