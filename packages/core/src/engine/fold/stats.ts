import type { Metrics } from '../../contract/state/metrics.ts';
import type { CallRecord } from '../../contract/store/commit.ts';
import type { StateFields, UsageMetrics } from '../../contract/state/fields.ts';

/** Totals with one more call. */
export function addRecord(stats: StateFields['stats'], record: CallRecord): StateFields['stats'] {
  return { ...stats, [record.usageId]: addToUsage(stats[record.usageId], record) };
}

/** The sums over all usage ids. */
export function totalMetrics(stats: StateFields['stats']): Metrics {
  let metrics: Metrics = { inputTokens: 0, outputTokens: 0, totalCost: 0, llmCallCount: 0 };
  for (const usage of Object.values(stats)) {
    metrics = {
      inputTokens: metrics.inputTokens + usage.promptTokens,
      outputTokens: metrics.outputTokens + usage.completionTokens,
      totalCost: metrics.totalCost + usage.cost,
      llmCallCount: metrics.llmCallCount + usage.calls,
    };
  }
  return metrics;
}

function addToUsage(usage: UsageMetrics | undefined, record: CallRecord): UsageMetrics {
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
