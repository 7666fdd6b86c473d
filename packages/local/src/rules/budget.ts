import type { StateFields, Transaction } from '@conv/core';
import { conversationError } from '@conv/core/events';
import type { CallRecord } from '@conv/core/store';

/** US dollars of all model calls. */
export function costOf(stats: StateFields['stats']): number {
  return Object.values(stats).reduce((sum, { cost }) => sum + cost, 0);
}

/** What one run and all runs together may cost. */
export class Budget {
  readonly #outer: SpendingLimit | undefined;
  #before: number | undefined;

  /** `outer`: what the conversation that this one works for may still spend. */
  constructor(outer?: SpendingLimit) {
    this.#outer = outer;
  }

  /** The run begins, or began when so much was spent: that does not count towards its own limit. */
  begin(before: number): void {
    this.#before = before;
  }

  /** Which limit is used up, in words, with calls that are not counted yet; `undefined` when there is money left. */
  usedUp(fields: Limited, uncounted: readonly CallRecord[] = []): string | undefined {
    const own = this.#ownUsedUp(fields, uncounted);
    if (own !== undefined) return own;
    const outer = this.#outer?.usedUp(uncounted);
    return outer === undefined ? undefined : `The conversation that this one works for: ${outer}`;
  }

  /**
   * Ends the run when a limit is used up, unless it has finished or a call has to end first. What the last response called
   * and nobody started waits for a person.
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

/** Says in the log that there is no money left. */
export async function recordBudget(transaction: Transaction, why: string): Promise<void> {
  await transaction.append(conversationError('MaxBudgetReached', why));
}

/** Says it in the words of the wire, by which programs know the limit; see `runReason`. */
function met(limit: number, cost: number): string {
  return `Agent reached maximum budget limit (${dollars(limit)}); accumulated cost ${dollars(cost)}.`;
}

/** Four digits behind the point, as the wire has them; more for an amount that is not told by them. */
function dollars(amount: number): string {
  const text = amount.toFixed(4);
  return `$${amount > 0 && Number(text) === 0 ? Number(amount.toPrecision(6)) : text}`;
}

/** How much money may be spent. */
export interface SpendingLimit {
  /** Which limit is used up, in words, with calls that are not counted yet; `undefined` when there is money left. */
  usedUp(uncounted?: readonly CallRecord[]): string | undefined;
}
