import { checkOptionNames, type OptionNames, type Transaction } from '@conv/core';

/** Metadata member with the name of the person who made the newest decision. The commit of each decision sets it. */
const DECIDED_BY = 'conv_decided_by';

/** Options of a decision on actions, beside those of the contract. */
export interface Decision {
  /** Name of the person or program that decides, kept with the commit of the decision. Default: none is kept. */
  readonly by?: string;
}

const NAMES: OptionNames<Decision> = { by: true };

/** Throws a `TypeError` for a misspelt member of a decision. */
export function checkDecision(method: 'approve' | 'reject', decision: Decision): void {
  checkOptionNames(method, decision, NAMES);
}

/** Records who decides in the commit of this transaction. */
export function recordDecider(transaction: Transaction, { by }: Decision): void {
  if (by === undefined) return;
  const { baseState, meta } = transaction.state.extra;
  transaction.update({ set: { extra: { baseState, meta: { ...meta, [DECIDED_BY]: by } } } });
}
