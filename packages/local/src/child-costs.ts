import { isDeepStrictEqual } from 'node:util';

import { readState, type ConversationState, type JsonObject, type StateFields, type UsageMetrics } from '@conv/core';
import type { ConversationStore } from '@conv/core/store';

type Stats = StateFields['stats'];

/** Where the agent's state names the children that are at work: after a crash their cost is looked up. */
const AT_WORK = 'children_at_work';

/** The usage id that a child's cost is counted under. */
export function usageOf(childId: string): string {
  return `task:${childId}`;
}

/** Everything that a conversation spent, as one usage; `undefined` when it asked no model. */
export function totalUsage(stats: Stats): UsageMetrics | undefined {
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

/** What a conversation spent, with what this child spent in all, however often that is said. */
export function withChild(stats: Stats, childId: string, spent: Stats): Stats {
  const total = totalUsage(spent);
  return total ? { ...stats, [usageOf(childId)]: total } : stats;
}

/** Notes that a child is at work, before it can spend anything. */
export async function noteAtWork(state: ConversationState, childId: string): Promise<void> {
  await state.transaction((transaction) => {
    const ids = atWork(transaction.state);
    if (!ids.includes(childId)) transaction.update({ add: { agentState: { [AT_WORK]: [...ids, childId] } } });
  });
}

/** Counts what a child has spent by the time of the commit. */
export async function countChild(state: ConversationState, childId: string, spent: () => Stats): Promise<void> {
  await state.transaction((transaction) => {
    const total = totalUsage(spent());
    if (total && !isDeepStrictEqual(transaction.state.stats[usageOf(childId)], total))
      transaction.update({ add: { stats: { [usageOf(childId)]: total } } });
  });
}

/** Counts what a child has spent, which is at work no more. */
export async function settleChild(state: ConversationState, childId: string, spent: Stats): Promise<void> {
  await state.transaction((transaction) => {
    const total = totalUsage(spent);
    if (total) transaction.update({ add: { stats: { [usageOf(childId)]: total } } });
    transaction.update({ set: { agentState: withAtWork(transaction.state, [childId]) } });
  });
}

/** After a crash: counts what children spent that were at work. Those that cannot be read now are counted another time. */
export async function recoverCosts(state: ConversationState, store: ConversationStore): Promise<void> {
  const ids = atWork(state);
  if (ids.length === 0) return;
  const read = await Promise.allSettled(ids.map(async (id) => [id, await spentBy(store, id, state.id)] as const));
  const settled = read.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
  await state.transaction((transaction) => {
    const totals = settled.flatMap(([id, spent]) => {
      const total = totalUsage(spent);
      return total ? [[usageOf(id), total] as const] : [];
    });
    transaction.update({
      set: {
        agentState: withAtWork(
          transaction.state,
          settled.map(([id]) => id),
        ),
      },
      add: { stats: Object.fromEntries(totals) },
    });
  });
}

/** Nothing when it was never made, or belongs to another conversation: that of which this one is a fork. */
async function spentBy(store: ConversationStore, id: string, parentId: string): Promise<Stats> {
  const reader = await store.read(id);
  if (!reader) return {};
  try {
    const { fields } = await readState(reader);
    return fields.parentId === parentId ? fields.stats : {};
  } finally {
    await reader.close();
  }
}

function atWork({ agentState }: Pick<StateFields, 'agentState'>): readonly string[] {
  const ids = agentState[AT_WORK];
  return Array.isArray(ids) ? ids.filter((id) => typeof id === 'string') : [];
}

function withAtWork({ agentState }: Pick<StateFields, 'agentState'>, ended: readonly string[]): JsonObject {
  const { [AT_WORK]: _, ...rest } = agentState;
  const left = atWork({ agentState }).filter((id) => !ended.includes(id));
  return left.length > 0 ? { ...rest, [AT_WORK]: left } : rest;
}
