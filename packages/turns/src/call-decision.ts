import type { ConversationView } from '@conv/core';
import { isObject } from '@conv/core/platform';

import { questionEnd } from './question-end.ts';
import type { TurnItem } from './turn-item.ts';

/** Metadata member with the newest decisions, as `@conv/local` stores them: each with a name and the calls that it was about. */
const NEWEST = 'conv_decisions';

/**
 * Returns an item, a call with what only the state has: the name of the person or program that decided on it, and the time until which a decision is waited
 * for. The state has the newest decisions alone.
 */
export function withDecision<Item extends TurnItem>(given: Item, state: Pick<ConversationView, 'id' | 'extra'>): Item {
  const item = withEnd(given, state);
  const decisions: unknown = item.kind === 'call' ? state.extra.meta[NEWEST] : undefined;
  if (item.kind !== 'call' || !Array.isArray(decisions)) return item;
  const decision: unknown = decisions.findLast(
    (each: unknown) => isObject(each) && Array.isArray(each['calls']) && each['calls'].includes(item.actionId),
  );
  const by: unknown = isObject(decision) ? decision['by'] : undefined;
  return typeof by === 'string' ? { ...item, decidedBy: by } : item;
}

function withEnd<Item extends TurnItem>(item: Item, state: Pick<ConversationView, 'id' | 'extra'>): Item {
  if (item.kind !== 'call') return item;
  const end = item.result ? {} : questionEnd(item.actionId, state);
  if (end.expiresAt === item.expiresAt) return item;
  const { expiresAt: _, ...call } = item;
  return { ...call, ...end } as Item;
}

/** A decision on a call. */
export interface NamedDecision {
  /** The id of the action. */
  readonly call: string;
  readonly tool: string;
  /** The name of the person or program that approved or rejected it. */
  readonly by: string;
}

/** Returns the decisions on calls whose deciders are known. */
export function namedDecisions(items: readonly TurnItem[]): readonly NamedDecision[] {
  return items.flatMap((item) =>
    item.kind === 'call' && item.decidedBy !== undefined
      ? [{ call: item.actionId, tool: item.tool, by: item.decidedBy }]
      : [],
  );
}
