import type { Metrics } from '../../contract/conversation/conversation-view.ts';
import type { CallRecord } from '../../contract/store/commit.ts';
import type { StateFields, UsageMetrics } from '../../contract/state/fields.ts';

/** Returns the sums over all models. */
export function totalMetrics(stats: StateFields['stats']): Metrics {
  const sum = (name: 'promptTokens' | 'completionTokens' | 'cost' | 'calls'): number =>
    Object.values(stats).reduce((total, usage) => total + usage[name], 0);
  return {
    inputTokens: sum('promptTokens'),
    outputTokens: sum('completionTokens'),
    totalCost: sum('cost'),
    llmCallCount: sum('calls'),
  };
}

export function addToUsage(usage: UsageMetrics | undefined, record: CallRecord): UsageMetrics {
  return {
    modelName: record.model,
    cost: (usage?.cost ?? 0) + record.cost,
    calls: (usage?.calls ?? 0) + 1,
    promptTokens: (usage?.promptTokens ?? 0) + record.promptTokens,
    completionTokens: (usage?.completionTokens ?? 0) + record.completionTokens,
    cacheReadTokens: (usage?.cacheReadTokens ?? 0) + record.cacheReadTokens,
    cacheWriteTokens: (usage?.cacheWriteTokens ?? 0) + record.cacheWriteTokens,
    reasoningTokens: (usage?.reasoningTokens ?? 0) + record.reasoningTokens,
    contextWindow: record.contextWindow || (usage?.contextWindow ?? 0),
    perTurnTokens: record.promptTokens + record.completionTokens,
    lastResponseId: record.responseId,
    ...(usage?.extra ? { extra: usage.extra } : {}),
  };
}
