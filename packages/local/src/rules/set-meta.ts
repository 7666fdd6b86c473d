import type { JsonObject, Transaction } from '@conv/core';

import { withDecision, type NamedDecision } from './named-decision.ts';

/**
 * Sets the metadata of a conversation, with the decision that this commit makes. A decision of an earlier commit is left out: each commit that
 * sets metadata sets all of it, and would name the person who decided before.
 */
export function setMeta(
  transaction: Transaction,
  change: (meta: JsonObject) => JsonObject,
  decision: NamedDecision = {},
): void {
  const { baseState, meta } = transaction.state.extra;
  transaction.update({ set: { extra: { baseState, meta: withDecision(change(meta), decision) } } });
}
