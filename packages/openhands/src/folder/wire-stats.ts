import type { JsonObject, StateFields, UsageMetrics } from '@conv/core';
import type { CallRecord } from '@conv/core/store';
import { asArray, asNumber, asObject, asText } from './json-reader.ts';

/** Returns `stats` as `base_state.json` has it. Lists of single calls are written empty, because the commits hold these records. */
export function toWireStats(stats: StateFields['stats']): JsonObject {
  const usages = Object.entries(stats).map(([usageId, usage]) => [usageId, toWireMetrics(usage)]);
  return { usage_to_metrics: Object.fromEntries(usages) as JsonObject };
}

/** Totals from a `stats` object; its lists are left to {@link callRecordsOf}. */
export function fromWireStats(stats: unknown): StateFields['stats'] {
  const usages = Object.entries(asObject(asObject(stats)['usage_to_metrics']));
  return Object.fromEntries(usages.map(([usageId, metrics]) => [usageId, fromWireMetrics(asObject(metrics))]));
}

/** The single calls that a `stats` object lists, so that they can be kept beside the totals. */
export function callRecordsOf(stats: unknown): readonly CallRecord[] {
  const usages = Object.entries(asObject(asObject(stats)['usage_to_metrics']));
  return usages.flatMap(([usageId, metrics]) => recordsOfUsage(usageId, asObject(metrics)));
}

function toWireMetrics(usage: UsageMetrics): JsonObject {
  return {
    model_name: usage.modelName,
    accumulated_cost: usage.cost,
    ...usage.extra,
    accumulated_token_usage: {
      model: usage.modelName,
      prompt_tokens: usage.promptTokens,
      completion_tokens: usage.completionTokens,
      cache_read_tokens: usage.cacheReadTokens,
      cache_write_tokens: usage.cacheWriteTokens,
      reasoning_tokens: usage.reasoningTokens,
      context_window: usage.contextWindow,
      per_turn_token: usage.perTurnTokens,
      response_id: usage.lastResponseId,
    },
    costs: [],
    response_latencies: [],
    token_usages: [],
  };
}

function fromWireMetrics(metrics: JsonObject): UsageMetrics {
  const { model_name, accumulated_cost, accumulated_token_usage, costs, response_latencies, token_usages, ...extra } =
    metrics;
  const usage = asObject(accumulated_token_usage);
  return {
    modelName: asText(model_name) ?? 'default',
    cost: asNumber(accumulated_cost),
    calls: Math.max(asArray(token_usages).length, asArray(costs).length, asArray(response_latencies).length),
    promptTokens: asNumber(usage['prompt_tokens']),
    completionTokens: asNumber(usage['completion_tokens']),
    cacheReadTokens: asNumber(usage['cache_read_tokens']),
    cacheWriteTokens: asNumber(usage['cache_write_tokens']),
    reasoningTokens: asNumber(usage['reasoning_tokens']),
    contextWindow: asNumber(usage['context_window']),
    perTurnTokens: asNumber(usage['per_turn_token']),
    lastResponseId: asText(usage['response_id']) ?? '',
    ...(Object.keys(extra).length > 0 ? { extra } : {}),
  };
}

function recordsOfUsage(usageId: string, metrics: JsonObject): readonly CallRecord[] {
  const costs = asArray(metrics['costs']).map(asObject);
  const latencies = asArray(metrics['response_latencies']).map(asObject);
  const usages = asArray(metrics['token_usages']).map(asObject);
  const length = Math.max(costs.length, latencies.length, usages.length);
  return Array.from({ length }, (_, at) => {
    const [cost, latency, usage] = [costs[at] ?? {}, latencies[at] ?? {}, usages[at] ?? {}];
    return {
      kind: 'model_call',
      usageId,
      model: asText(cost['model']) ?? asText(metrics['model_name']) ?? '',
      cost: asNumber(cost['cost']),
      promptTokens: asNumber(usage['prompt_tokens']),
      completionTokens: asNumber(usage['completion_tokens']),
      cacheReadTokens: asNumber(usage['cache_read_tokens']),
      cacheWriteTokens: asNumber(usage['cache_write_tokens']),
      reasoningTokens: asNumber(usage['reasoning_tokens']),
      contextWindow: asNumber(usage['context_window']),
      latency: asNumber(latency['latency']),
      responseId: asText(latency['response_id']) ?? asText(usage['response_id']) ?? '',
      timestamp: asNumber(cost['timestamp']),
    };
  });
}
