import type { StateFields, Transaction } from '@conv/core';

import { approveForRun, isAsked, letPolicyDecide, supersede, undecidedActions, type RiskRules } from './approvals.ts';
import { recordBudget, type Budget } from './budget.ts';
import { outlivingCalls } from './call-handles.ts';
import { type Expiration, expireQuestions } from './expired-questions.ts';
import { hasQueuedUserMessage } from './message-queue.ts';
import { recoverConversation, recoverRun } from './recover.ts';
import { newRun } from './run-record.ts';
import { failureDraft } from './failure-draft.ts';

/** Maximum number of takeovers of a run without progress, because the run itself may crash its processes. */
const MAX_TAKEOVERS = 5;

export interface BeginningInput {
  readonly risks: RiskRules;
  readonly budget: Budget;
  /** Limit of model responses. Default: the limit of the run that is resumed, or the limit in the state. */
  readonly maxIterations: number | undefined;
  readonly how: HowToBegin;
  /** The time for which a question waits; `undefined` for no limit. */
  readonly expiration: Expiration | undefined;
}

/** Conditions under which a run continues the run on record. */
export interface HowToBegin {
  /** Continues a run that another process left, and does nothing else. */
  readonly resumes: boolean;
  /** Continues the run on record. Otherwise it is recovered, unless it is known to be recovered. */
  readonly resumable: boolean;
  /** Approves what waits for a person. Otherwise the run does not begin while anything waits. */
  readonly approves: boolean;
}

/** The parameters of a run from its beginning on. */
export interface Beginning {
  readonly maxIterations: number;
  /** Model responses of the run in earlier processes. */
  readonly iterations: number;
  /** True if the run has its answer already. */
  readonly answered: boolean;
}

/** Begins a run in a commit, or continues the run on record. Resolves with `undefined` when there is nothing to do. */
export async function beginRun(transaction: Transaction, input: BeginningInput): Promise<Beginning | undefined> {
  const { resumes } = input.how;
  return resumes || goesOn(transaction.state, input.how) ? goOn(transaction, input) : beginAnew(transaction, input);
}

/** True if a new run continues the run on record. */
export function goesOn(
  { executionStatus, lastRun }: Pick<StateFields, 'executionStatus' | 'lastRun'>,
  { resumes, resumable }: HowToBegin,
): boolean {
  if (executionStatus !== 'running') return false;
  return resumes || resumable || (lastRun !== null && lastRun.phase !== 'working');
}

/** Approves the waiting actions and records that a run is active. */
async function beginAnew(transaction: Transaction, input: BeginningInput): Promise<Beginning | undefined> {
  // a machine that was suspended may not have fired the timer yet, and a run approves what waits
  if (input.expiration) await expireQuestions(transaction, input.expiration);
  await recoverConversation(transaction, input.risks);
  if (transaction.state.executionStatus === 'finished' || !transaction.branch.spoken) return undefined;
  // what waits may have come after the request for this run was allowed
  if (!input.how.approves && isAsked(transaction)) return undefined;
  const lastRun = newRun(transaction, input.maxIterations);
  if (await endsForMoney(transaction, input.budget, lastRun.costBefore)) return undefined;
  await approveForRun(transaction, input.risks);
  transaction.update({ set: { executionStatus: 'running', lastRun } });
  return { maxIterations: lastRun.maxIterations, iterations: 0, answered: false };
}

/**
 * Continues the run on record. It approves nothing: the permissions of the earlier process are forgotten, and the policy in force
 * decides again (P10).
 */
async function goOn(transaction: Transaction, input: BeginningInput): Promise<Beginning | undefined> {
  if (transaction.state.executionStatus !== 'running') return undefined;
  // actions approved since the run was recovered stay approved
  if (transaction.state.lastRun?.phase !== 'waiting') await recoverRun(transaction, input.risks);
  const { state, branch } = transaction;
  if (state.executionStatus !== 'running') return undefined;
  const known = state.lastRun ?? newRun(transaction);
  const { maxIterations = known.maxIterations } = input;
  // a run that waits for the user, or for work elsewhere, has not failed to make progress
  const isWaiting = outlivingCalls(transaction).length > 0;
  const takeovers = known.takeovers + (input.how.resumes && !isWaiting ? 1 : 0);
  if (takeovers > MAX_TAKEOVERS) {
    await transaction.append(failureDraft('RunLost', LOST));
    return noRun(transaction);
  }
  if (await endsForMoney(transaction, input.budget, known.costBefore)) return noRun(transaction);
  const answered = known.phase === 'answered';
  const phase = answered ? 'answered' : 'working';
  transaction.update({ set: { lastRun: { ...known, phase, maxIterations, takeovers } } });
  await decideAgain(transaction, input.risks);
  if (transaction.state.executionStatus !== 'running') return undefined;
  return { maxIterations, iterations: Math.max(0, branch.iteration - known.iterationsBefore), answered };
}

/** Removes the ended run from the state, so that no later run is taken for it. */
function noRun(transaction: Transaction): undefined {
  transaction.update({ set: { lastRun: null } });
}

/**
 * Decides the calls of a run that continues. If a person approved calls since it was found, only these run; else a user's message
 * or the policy decides.
 */
async function decideAgain(transaction: Transaction, risks: RiskRules): Promise<void> {
  const { state } = transaction;
  const undecided = undecidedActions(transaction);
  if (undecided.length === 0 || undecided.some(({ id }) => state.calls[id])) return;
  if (hasQueuedUserMessage(transaction)) return supersede(transaction);
  if (!letPolicyDecide(transaction, undecided, risks))
    transaction.update({ set: { executionStatus: 'waiting_for_confirmation' } });
}

async function endsForMoney(transaction: Transaction, budget: Budget, before: number): Promise<boolean> {
  budget.begin(before);
  const usedUp = budget.usedUp(transaction.state);
  if (usedUp !== undefined) await recordBudget(transaction, usedUp);
  return usedUp !== undefined;
}

const LOST = `The run was given up: its process ended ${MAX_TAKEOVERS + 1} times without progress, perhaps because of the run. Run the conversation again to continue.`;
