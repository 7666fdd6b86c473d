import { z } from 'zod';
import { named } from '../../schema/named.ts';
import { answer, orNull } from '../../schema/objects.ts';
import { integer, number } from '../../schema/scalars.ts';

/** Tokens of one call, or of all calls together. */
export interface TokenUsage {
  readonly model: string;
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly cache_read_tokens: number;
  readonly cache_write_tokens: number;
  readonly reasoning_tokens: number;
  readonly context_window: number;
  readonly per_turn_token: number;
  readonly response_id: string;
}

/** Totals of one use of a model. */
export interface MetricsSnapshot {
  readonly model_name: string;
  /** US dollars. */
  readonly accumulated_cost: number;
  readonly max_budget_per_task: number | null;
  readonly accumulated_token_usage: TokenUsage | null;
}

/** Totals, and what each call cost. Servers may write the lists empty. */
export interface UsageReport extends MetricsSnapshot {
  readonly costs: readonly { readonly model: string; readonly cost: number; readonly timestamp: number }[];
  readonly response_latencies: readonly {
    readonly model: string;
    readonly latency: number;
    readonly response_id: string;
  }[];
  readonly token_usages: readonly TokenUsage[];
}

/** Usage of a conversation, by usage id. */
export interface ConversationStats {
  readonly usage_to_metrics: Readonly<Record<string, UsageReport>>;
}

const count = integer({ minimum: 0 }).default(0);

const tokenUsageSchema: z.ZodType<TokenUsage> = named(
  'TokenUsage',
  answer({
    model: z.string().default(''),
    prompt_tokens: count,
    completion_tokens: count,
    cache_read_tokens: count,
    cache_write_tokens: count,
    reasoning_tokens: count,
    context_window: count,
    per_turn_token: count,
    response_id: z.string().default(''),
  }),
);

const totals = {
  model_name: z.string().default('default'),
  accumulated_cost: number({ minimum: 0 }).default(0),
  max_budget_per_task: orNull(number()),
  accumulated_token_usage: orNull(tokenUsageSchema),
};

/** The schema of {@link MetricsSnapshot}. */
export const metricsSnapshotSchema: z.ZodType<MetricsSnapshot> = named('MetricsSnapshot', answer(totals));

const usageReportSchema: z.ZodType<UsageReport> = named(
  'Metrics',
  answer({
    ...totals,
    costs: z
      .array(answer({ model: z.string().default(''), cost: number(), timestamp: number().default(0) }))
      .default([]),
    response_latencies: z
      .array(answer({ model: z.string().default(''), latency: number(), response_id: z.string().default('') }))
      .default([]),
    token_usages: z.array(tokenUsageSchema).default([]),
  }),
);

/** The schema of {@link ConversationStats}. */
export const conversationStatsSchema: z.ZodType<ConversationStats> = named(
  'ConversationStats',
  answer({ usage_to_metrics: z.record(z.string(), usageReportSchema).default({}) }),
);
