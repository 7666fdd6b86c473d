import type { AgentSession, ConversationState, Transaction } from '@conv/core';
import type { ActionEvent, EventDraft } from '@conv/core/events';

import { abortable } from './abortable.ts';
import { appendQueued } from './message-queue.ts';

/** What running calls needs of the run that they belong to. */
export interface CallRun {
  readonly state: ConversationState;
  readonly session: AgentSession;
  readonly signal: AbortSignal;
  /** Called in the commit of a result, after everything else of it. */
  readonly settle: (transaction: Transaction) => void;
}

/**
 * Runs the approved calls of the live branch one after the other. Each start and each result is a commit: the start of the
 * next call travels with the result of the one before (P5). Rejects with the signal's reason when interrupted; what was not
 * run stays open.
 */
export async function runApprovedCalls(run: CallRun): Promise<void> {
  let action = await start(run);
  while (action) {
    const running = action;
    const result = await abortable(run.session.execute(running, { signal: run.signal }), run.signal);
    action = await finish(run, result);
  }
}

/** The approved calls, oldest first. */
export function approvedActions(transaction: Pick<Transaction, 'state' | 'pendingActions'>): readonly ActionEvent[] {
  return transaction.pendingActions.filter(({ id }) => transaction.state.calls[id] !== undefined);
}

/** Marks the first approved call as started, in the caller's commit. */
export function startFirst(transaction: Transaction): ActionEvent | undefined {
  const [action] = approvedActions(transaction);
  if (action && transaction.state.calls[action.id] !== 'started')
    transaction.update({ add: { calls: { [action.id]: 'started' } } });
  return action;
}

function start({ state, signal }: CallRun): Promise<ActionEvent | undefined> {
  signal.throwIfAborted();
  return state.transaction(startFirst);
}

function finish({ state, signal, settle }: CallRun, result: EventDraft): Promise<ActionEvent | undefined> {
  return state.transaction(async (transaction) => {
    await transaction.append(result);
    const next = signal.aborted ? undefined : startFirst(transaction);
    await appendQueued(transaction);
    settle(transaction);
    return next;
  });
}
