import { isDeepStrictEqual } from 'node:util';
import type { ConversationState, StateFields, Transaction, UsageMetrics } from '@conv/core';
import type { ConversationStore } from '@conv/core/store';

import { readFields } from './read-fields.ts';
import { callsOfChildren, forgetChildren, hasAtWork } from '../rules/children-at-work.ts';

type Stats = StateFields['stats'];

/** Returns the usage id that a child's cost is counted under. */
function usageOf(childId: string): string {
  return `task:${childId}`;
}

/** Returns everything that a conversation spent, as a single usage; `undefined` when it asked no model. */
function totalUsage(stats: Stats): UsageMetrics | undefined {
  const usages = Object.values(stats);
  const [first] = usages;
  if (!first) return undefined;
  const sum = (of: (usage: UsageMetrics) => number): number => usages.reduce((total, usage) => total + of(usage), 0);
  return {
    modelName: first.modelName,
    cost: sum(({ cost }) => cost),
    calls: sum(({ calls }) => calls),
    promptTokens: sum(({ promptTokens }) => promptTokens),
    completionTokens: sum(({ completionTokens }) => completionTokens),
    cacheReadTokens: sum(({ cacheReadTokens }) => cacheReadTokens),
    cacheWriteTokens: sum(({ cacheWriteTokens }) => cacheWriteTokens),
    reasoningTokens: sum(({ reasoningTokens }) => reasoningTokens),
    contextWindow: first.contextWindow,
    perTurnTokens: first.perTurnTokens,
    lastResponseId: first.lastResponseId,
  };
}

/** Returns the totals of a conversation with this child's total. Counting a child again changes nothing. */
export function withChild(stats: Stats, childId: string, spent: Stats): Stats {
  const total = totalUsage(spent);
  return total ? { ...stats, [usageOf(childId)]: total } : stats;
}

/** Counts a child's spending up to this commit. Changes nothing that is counted already. */
export function countChild(transaction: Transaction, childId: string, spent: Stats): void {
  const total = totalUsage(spent);
  if (total && !isDeepStrictEqual(transaction.state.stats[usageOf(childId)], total))
    transaction.update({ add: { stats: { [usageOf(childId)]: total } } });
}

/** Counts the spending of the children that were at work before a crash. Children that cannot be read now are counted later. */
export async function recoverCosts(state: ConversationState, store: ConversationStore): Promise<void> {
  if (!hasAtWork(state)) return;
  const ids = Object.keys(callsOfChildren(state));
  const read = await Promise.allSettled(ids.map(async (id) => ({ id, spent: await spentBy(store, id, state.id) })));
  const counted = read.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
  await state.transaction((transaction) => {
    for (const { id, spent } of counted) countChild(transaction, id, spent);
    forgetChildren(
      transaction,
      counted.map(({ id }) => id),
    );
  });
}

/** Returns the totals of a child; empty totals when the store has no such child of this parent. */
async function spentBy(store: ConversationStore, id: string, parentId: string): Promise<Stats> {
  const fields = await readFields(store, id);
  return fields?.parentId === parentId ? fields.stats : {};
}
