import type { StateFields, Transaction } from '@conv/core';
import type { CallRecord } from '@conv/core/store';

import { failureDraft } from './failure-draft.ts';

/** Returns the cost of all model calls, in US dollars. */
export function costOf(stats: StateFields['stats']): number {
  return Object.values(stats).reduce((sum, { cost }) => sum + cost, 0);
}

/** Limits the cost of one run and of all runs together. */
export class Budget {
  readonly #outer: SpendingLimit | undefined;
  #before: number | undefined;

  /** `outer`: the limit of the parent conversation. */
  constructor(outer?: SpendingLimit) {
    this.#outer = outer;
  }

  /** Notes the cost before the run began, which does not count towards the run's own limit. */
  begin(before: number): void {
    this.#before = before;
  }

  /** Returns the used-up limit in words, counting `uncounted` calls too; `undefined` when there is budget left. */
  usedUp(fields: Limited, uncounted: readonly CallRecord[] = []): string | undefined {
    const own = this.#ownUsedUp(fields, uncounted);
    if (own !== undefined) return own;
    const outer = this.#outer?.usedUp(uncounted);
    return outer === undefined ? undefined : `The parent conversation: ${outer}`;
  }

  /**
   * Ends the run when a limit is used up, unless the run has finished or a started call has to end first. Calls of the last
   * response that have not started wait for a person.
   */
  async end(transaction: Transaction): Promise<void> {
    const { state, pendingActions } = transaction;
    const why = this.usedUp(state);
    if (why === undefined || state.executionStatus !== 'running') return;
    if (pendingActions.some(({ id }) => state.calls[id] === 'started')) return;
    await recordBudget(transaction, why);
  }

  #ownUsedUp({ maxBudget, maxBudgetPerRun, stats }: Limited, uncounted: readonly CallRecord[]): string | undefined {
    if (maxBudget === null && maxBudgetPerRun === null) return undefined;
    const total = uncounted.reduce((sum, { cost }) => sum + cost, costOf(stats));
    const ofRun = total - (this.#before ?? total);
    if (maxBudgetPerRun !== null && ofRun >= maxBudgetPerRun) return met(maxBudgetPerRun, ofRun);
    if (maxBudget !== null && total >= maxBudget)
      return `${met(maxBudget, total)} The limit is that of all runs together.`;
    return undefined;
  }
}

type Limited = Pick<StateFields, 'maxBudget' | 'maxBudgetPerRun' | 'stats'>;

/** Appends the event that the budget is used up. */
export async function recordBudget(transaction: Transaction, why: string): Promise<void> {
  await transaction.append(failureDraft('MaxBudgetReached', why));
}

/** Returns the message in the words of the wire, by which programs recognize the limit; see `runReason`. */
function met(limit: number, cost: number): string {
  return `Agent reached maximum budget limit (${exactDollars(limit)}); accumulated cost ${dollars(cost)}.`;
}

/** Formats dollars with four decimals, and with all digits where four are not the whole amount: `runReason` reads the limit there. */
function exactDollars(amount: number): string {
  const text = amount.toFixed(4);
  return `$${Number(text) === amount ? text : amount}`;
}

/** Formats dollars with four decimals as on the wire; with more for an amount that would round to zero. */
function dollars(amount: number): string {
  const text = amount.toFixed(4);
  return `$${amount > 0 && Number(text) === 0 ? Number(amount.toPrecision(6)) : text}`;
}

export interface SpendingLimit {
  /** Returns the used-up limit in words, counting `uncounted` calls too; `undefined` when there is budget left. */
  usedUp(uncounted?: readonly CallRecord[]): string | undefined;
}
