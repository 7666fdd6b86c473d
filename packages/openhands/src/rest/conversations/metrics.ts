import { z } from 'zod';
import { integer, kept, keptAs, named, number, orNull } from '../../schema/index.ts';

const count = integer({ minimum: 0 }).default(0);

/** Tokens of one call, or of all calls together. */
const tokenUsageSchema = keptAs('TokenUsage', {
  model: z.string().default(''),
  prompt_tokens: count,
  completion_tokens: count,
  cache_read_tokens: count,
  cache_write_tokens: count,
  reasoning_tokens: count,
  context_window: count,
  per_turn_token: count,
  response_id: z.string().default(''),
});

const totals = {
  model_name: z.string().default('default'),
  /** US dollars. */
  accumulated_cost: number({ minimum: 0 }).default(0),
  max_budget_per_task: orNull(number()),
  accumulated_token_usage: orNull(tokenUsageSchema),
};

/** Totals of one use of a model. */
export const metricsSnapshotSchema = named('MetricsSnapshot', kept(totals));

/** Totals, and what each call cost. Servers may write the lists empty. */
const usageReportSchema = keptAs('Metrics', {
  ...totals,
  costs: z.array(kept({ model: z.string().default(''), cost: number(), timestamp: number().default(0) })).default([]),
  response_latencies: z
    .array(kept({ model: z.string().default(''), latency: number(), response_id: z.string().default('') }))
    .default([]),
  token_usages: z.array(tokenUsageSchema).default([]),
});

/** Usage of a conversation, by usage id. */
export const conversationStatsSchema = keptAs('ConversationStats', {
  usage_to_metrics: z.record(z.string(), usageReportSchema).default({}),
});
