import type { StateFields, Transaction } from '@conv/core';
import { conversationError } from '@conv/core/events';

import { approveForRun, letPolicyDecide, supersede, undecidedActions, type RiskRules } from './approvals.ts';
import { recordBudget, type Budget } from './budget.ts';
import { hasQueuedUserMessage } from './message-queue.ts';
import { bringToRest, settleRun } from './settle.ts';
import { newRun } from './run-record.ts';

/** So often may a run be taken up without getting further: it may be what ends its processes. */
const MAX_TAKEOVERS = 5;

/** What a run begins with. */
export interface BeginningInput {
  readonly risks: RiskRules;
  readonly budget: Budget;
  /** Model responses. Default: those of the run that is taken up, or what the state says. */
  readonly maxIterations: number | undefined;
  readonly how: HowToBegin;
}

/** What a run may begin from. */
export interface HowToBegin {
  /** A run that another process left is gone on with, and nothing else is done. */
  readonly takesUp: boolean;
  /** A run that is on record as being on is gone on with. Else it is brought to rest, unless it is known to be settled. */
  readonly keeps: boolean;
}

/** What a run goes by from its beginning on. */
export interface Beginning {
  readonly maxIterations: number;
  /** Model responses that it has had before, in other processes. */
  readonly iterations: number;
  /** It has its answer already. */
  readonly answered: boolean;
}

/** Part of a commit: begins a run, or goes on with the one that is on record; `undefined` when there is nothing to do. */
export async function beginRun(transaction: Transaction, input: BeginningInput): Promise<Beginning | undefined> {
  const { takesUp } = input.how;
  return takesUp || goesOn(transaction.state, input.how) ? goOn(transaction, input) : beginAnew(transaction, input);
}

/** Whether a run that begins goes on with one that is on record. */
export function goesOn(
  { executionStatus, lastRun }: Pick<StateFields, 'executionStatus' | 'lastRun'>,
  { takesUp, keeps }: HowToBegin,
): boolean {
  if (executionStatus !== 'running') return false;
  return takesUp || keeps || (lastRun !== null && lastRun.phase !== 'working');
}

/** Approves what waits, and says that a run is on. */
async function beginAnew(transaction: Transaction, input: BeginningInput): Promise<Beginning | undefined> {
  await bringToRest(transaction);
  if (transaction.state.executionStatus === 'finished' || !transaction.branch.spoken) return undefined;
  const lastRun = newRun(transaction, input.maxIterations);
  if (await endsForMoney(transaction, input.budget, lastRun.costBefore)) return undefined;
  await approveForRun(transaction, input.risks);
  transaction.update({ set: { executionStatus: 'running', lastRun } });
  return { maxIterations: lastRun.maxIterations, iterations: 0, answered: false };
}

/** Approves nothing: what its process was permitted is forgotten, and the policy in force decides again (P10). */
async function goOn(transaction: Transaction, input: BeginningInput): Promise<Beginning | undefined> {
  if (transaction.state.executionStatus !== 'running') return undefined;
  // what was approved since it was settled stays
  if (transaction.state.lastRun?.phase !== 'waiting') await settleRun(transaction);
  const { state, branch } = transaction;
  if (state.executionStatus !== 'running') return undefined;
  const known = state.lastRun ?? newRun(transaction);
  const { maxIterations = known.maxIterations } = input;
  const takeovers = known.takeovers + (input.how.takesUp ? 1 : 0);
  if (takeovers > MAX_TAKEOVERS) {
    await transaction.append(conversationError('RunLost', LOST));
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

/** The run that was on record is over, and none is to be taken for it. */
function noRun(transaction: Transaction): undefined {
  transaction.update({ set: { lastRun: null } });
}

/** What was approved since the run was found is executed, and nothing beside it; else the policy decides, or the user has spoken. */
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

const LOST = `The run was given up: its process ended ${MAX_TAKEOVERS + 1} times before it got any further, and the run may be why. Run the conversation again to go on.`;
