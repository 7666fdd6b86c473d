import type { RiskAssessment, StateFields, Transaction } from '@conv/core';
import { drafts, type ActionEvent } from '@conv/core/events';

import { leavesSandbox } from './leaves-sandbox.ts';
import { appendQueued, hasQueuedUserMessage } from './message-queue.ts';
import { noPendingAction } from './no-pending-action.ts';

/** Members of the state that decide the risk of an action. */
export type Rated = Pick<StateFields, 'securityAnalyzer' | 'confirmationPolicy'>;

/** Rules that rate actions under the analyzer and the policy in force. */
export interface RiskRules {
  /** True if the policy makes these actions of one response wait. */
  holdsBack(fields: Rated & Pick<StateFields, 'clientTools'>, actions: readonly ActionEvent[]): boolean;
  /** Returns the risk that the policy decides on. */
  assessmentOf(fields: Rated, action: ActionEvent): RiskAssessment;
}

/** Result that the model reads when a message came instead of an approval. */
export const SUPERSEDED = 'The user sent a new message before this action ran.';

/** Returns the pending actions that have not started, which can still be approved or rejected. */
export function undecidedActions({ state, pendingActions }: Transaction): readonly ActionEvent[] {
  return pendingActions.filter(({ id }) => state.calls[id] !== 'started');
}

/** Returns the undecided actions with these ids, by default all. Throws `UNKNOWN_ACTION` for an id that is not among them. */
export function chooseActions(transaction: Transaction, ids: readonly string[] | undefined): readonly ActionEvent[] {
  const undecided = undecidedActions(transaction);
  if (ids === undefined) return undecided;
  return [...new Set(ids)].map((id) => {
    const action = undecided.find((pending) => pending.id === id);
    if (!action) throw noPendingAction(id);
    return action;
  });
}

/** Records that a person approved these actions. */
export function approveActions(transaction: Transaction, actions: readonly ActionEvent[]): void {
  const { calls } = transaction.state;
  permit(
    transaction,
    actions.filter(({ id }) => calls[id] !== 'approved' && calls[id] !== 'started'),
    'approved',
  );
}

/** Records that the policy allowed these actions. */
export function allowActions(transaction: Transaction, actions: readonly ActionEvent[]): void {
  permit(transaction, actions, 'allowed');
}

function permit(transaction: Transaction, actions: readonly ActionEvent[], phase: StateFields['calls'][string]): void {
  if (actions.length > 0)
    transaction.update({ add: { calls: Object.fromEntries(actions.map(({ id }) => [id, phase])) } });
}

/**
 * Takes back the policy's permission of actions that have not started, if the policy and the analyzer in force now ask about
 * them. Actions that a person approved stay approved.
 */
export function takeBackAllowed(transaction: Transaction, risks: RiskRules): void {
  const { pendingActions, state } = transaction;
  const allowed = pendingActions.filter(({ id }) => state.calls[id] === 'allowed');
  const back = allowed.filter(({ llm_response_id: response }) =>
    risks.holdsBack(
      state,
      pendingActions.filter((action) => action.llm_response_id === response),
    ),
  );
  if (back.length === 0) return;
  const taken = new Set(back.map(({ id }) => id));
  const calls = Object.fromEntries(Object.entries(state.calls).filter(([id]) => !taken.has(id)));
  transaction.update({ set: { calls } });
  recordAssessments(transaction, back, risks);
}

/** Records the analyzer's assessments of actions that a person is asked about. */
export function recordAssessments(transaction: Transaction, actions: readonly ActionEvent[], risks: RiskRules): void {
  const { state } = transaction;
  const rated = state.securityAnalyzer === null ? actions.filter(leavesSandbox) : actions;
  if (rated.length === 0) return;
  const assessments = Object.fromEntries(rated.map((action) => [action.id, risks.assessmentOf(state, action)]));
  transaction.update({ add: { assessments } });
}

/**
 * Records the assessments of the pending actions that have none, such as calls whose result lies on another branch. Without an assessment the model's
 * own rating would count for the person who is asked.
 */
export function recordMissingAssessments(transaction: Transaction, risks: RiskRules): void {
  const { pendingActions, state } = transaction;
  const missing = pendingActions.filter(({ id }) => !Object.hasOwn(state.assessments, id));
  recordAssessments(transaction, missing, risks);
}

/**
 * Decides the actions that have not started when a run begins. Actions approved by name run. If a person was asked and approved
 * none, all run, unless the user has sent a message since (P10). Actions left by an error or a limit were shown to no person, so
 * the policy in force decides.
 */
export async function approveForRun(transaction: Transaction, risks: RiskRules): Promise<void> {
  const { calls, executionStatus } = transaction.state;
  const undecided = undecidedActions(transaction);
  if (undecided.some(({ id }) => calls[id])) return;
  if (hasQueuedUserMessage(transaction)) await supersede(transaction);
  else if (executionStatus === 'waiting_for_confirmation') approveActions(transaction, undecided);
  else letPolicyDecide(transaction, undecided, risks);
}

/** Allows the actions if the policy does, else records their assessments for the person. Returns true if they are allowed. */
export function letPolicyDecide(transaction: Transaction, actions: readonly ActionEvent[], risks: RiskRules): boolean {
  const isAllowed = !risks.holdsBack(transaction.state, actions);
  if (isAllowed) allowActions(transaction, actions);
  else recordAssessments(transaction, actions, risks);
  return isAllowed;
}

/** Rejects the undecided actions because the user sent a new message, and appends the queued messages (P10). */
export async function supersede(transaction: Transaction): Promise<void> {
  await rejectActions(transaction, undecidedActions(transaction), SUPERSEDED);
  await appendQueued(transaction);
}

/** True if a run would approve actions: a person is asked about them, has approved none by name, and has sent no message since. */
export function isAsked(transaction: Transaction): boolean {
  const { calls, executionStatus } = transaction.state;
  if (executionStatus !== 'waiting_for_confirmation' || hasQueuedUserMessage(transaction)) return false;
  const undecided = undecidedActions(transaction);
  return undecided.length > 0 && !undecided.some(({ id }) => calls[id]);
}

/** Appends the result that a person rejected these actions. */
export async function rejectActions(
  transaction: Transaction,
  actions: readonly ActionEvent[],
  reason?: string,
): Promise<void> {
  await transaction.append(...actions.map((action) => drafts.userReject(action, reason)));
}
