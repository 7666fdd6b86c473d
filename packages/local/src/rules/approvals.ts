import { ConversationError, type CallPhase, type RiskAssessment, type StateFields, type Transaction } from '@conv/core';
import { userReject, type ActionEvent } from '@conv/core/events';

import { appendQueued, hasQueuedUserMessage } from './message-queue.ts';

/** The members of the state that decide about the risk of an action. */
export type Rated = Pick<StateFields, 'securityAnalyzer' | 'confirmationPolicy'>;

/** Risks of actions under the analyzer and the policy that are in force. */
export interface RiskRules {
  /** True if the policy makes these actions of one response wait. */
  holdsBack(fields: Rated, actions: readonly ActionEvent[]): boolean;
  /** Returns the risk that the policy decides on. */
  assessmentOf(fields: Rated, action: ActionEvent): RiskAssessment;
}

/** What a model reads when a message came instead of an approval. */
const SUPERSEDED = 'The user sent a new message before this action ran.';

/** The pending actions that have not started: those that can still be approved or rejected. */
export function undecidedActions({ state, pendingActions }: Transaction): readonly ActionEvent[] {
  return pendingActions.filter(({ id }) => state.calls[id] !== 'started');
}

/** The undecided actions with these ids, default all. Throws `UNKNOWN_ACTION` for an id that is not among them. */
export function chooseActions(transaction: Transaction, ids: readonly string[] | undefined): readonly ActionEvent[] {
  const undecided = undecidedActions(transaction);
  if (ids === undefined) return undecided;
  return [...new Set(ids)].map((id) => {
    const action = undecided.find((pending) => pending.id === id);
    if (!action) throw new ConversationError('UNKNOWN_ACTION', `no pending action has the id ${JSON.stringify(id)}`);
    return action;
  });
}

/** A person lets these actions start. */
export function approveActions(transaction: Transaction, actions: readonly ActionEvent[]): void {
  const { calls } = transaction.state;
  permit(
    transaction,
    actions.filter(({ id }) => calls[id] !== 'approved' && calls[id] !== 'started'),
    'approved',
  );
}

/** The policy lets these actions start. */
export function allowActions(transaction: Transaction, actions: readonly ActionEvent[]): void {
  permit(transaction, actions, 'allowed');
}

function permit(transaction: Transaction, actions: readonly ActionEvent[], phase: CallPhase): void {
  if (actions.length > 0)
    transaction.update({ add: { calls: Object.fromEntries(actions.map(({ id }) => [id, phase])) } });
}

/**
 * Takes back what the policy allowed and has not started, when the policy and the analyzer that are in force now would have it
 * asked for. What a person approved stays approved.
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
  holdBack(transaction, back, risks);
}

/** Says what the analyzer said of actions that a person is asked about. */
export function holdBack(transaction: Transaction, actions: readonly ActionEvent[], risks: RiskRules): void {
  const { state } = transaction;
  if (state.securityAnalyzer === null) return;
  const assessments = Object.fromEntries(actions.map((action) => [action.id, risks.assessmentOf(state, action)]));
  transaction.update({ add: { assessments } });
}

/**
 * What running means for actions that have not started: those that were named run. When none was and a person was asked, all
 * do, unless the user has spoken since (P10). What an error or a limit left behind nobody was asked about: the policy in force
 * decides.
 */
export async function approveForRun(transaction: Transaction, risks: RiskRules): Promise<void> {
  const { calls, executionStatus } = transaction.state;
  const undecided = undecidedActions(transaction);
  if (undecided.some(({ id }) => calls[id])) return;
  if (hasQueuedUserMessage(transaction)) await supersede(transaction);
  else if (executionStatus === 'waiting_for_confirmation') approveActions(transaction, undecided);
  else letPolicyDecide(transaction, undecided, risks);
}

/** Whether the policy lets them start; one that wants a person asked is told what the analyzer says. */
export function letPolicyDecide(transaction: Transaction, actions: readonly ActionEvent[], risks: RiskRules): boolean {
  const isAllowed = !risks.holdsBack(transaction.state, actions);
  if (isAllowed) allowActions(transaction, actions);
  else holdBack(transaction, actions, risks);
  return isAllowed;
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
