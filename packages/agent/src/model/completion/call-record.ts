import type { LanguageModelV4Usage } from '@ai-sdk/provider';
import type { CallRecord } from '@conv/core/store';
import { contextWindowOf } from '../context-window.ts';
import type { Model } from '../model.ts';
import { listPrice, type TokenCounts } from '../price-table.ts';

/** The facts about one finished call. */
export interface CallFacts {
  readonly usageId: string;
  readonly usage: LanguageModelV4Usage;
  readonly responseId: string;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  readonly endedAt: number;
}

/** Returns the record by which a call is counted. Token counts that the provider leaves out are 0. */
export async function callRecord(
  model: Pick<Model, 'name' | 'price' | 'contextWindow'>,
  facts: CallFacts,
): Promise<CallRecord> {
  const { inputTokens: input, outputTokens: output } = facts.usage;
  const cacheReadTokens = count(input.cacheRead);
  const cacheWriteTokens = count(input.cacheWrite);
  const promptTokens = count(input.total ?? count(input.noCache) + cacheReadTokens + cacheWriteTokens);
  const completionTokens = count(output.total ?? count(output.text) + count(output.reasoning));
  return {
    kind: 'model_call',
    usageId: facts.usageId,
    model: model.name,
    cost: await costOf(model, { promptTokens, completionTokens, cacheReadTokens, cacheWriteTokens }),
    promptTokens,
    completionTokens,
    cacheReadTokens,
    cacheWriteTokens,
    reasoningTokens: count(output.reasoning),
    contextWindow: (await contextWindowOf(model)) ?? 0,
    latency: Math.max(0, facts.endedAt - facts.startedAt) / 1000,
    responseId: facts.responseId,
    timestamp: facts.endedAt / 1000,
  };
}

/** Returns the cost by the given price, else by the table of public prices; 0 for a model that is not in the table. */
async function costOf({ name, price }: Pick<Model, 'name' | 'price'>, tokens: TokenCounts): Promise<number> {
  if (price === undefined) return (await listPrice(name, tokens)) ?? 0;
  const { cacheReadTokens, cacheWriteTokens } = tokens;
  const fresh = Math.max(0, tokens.promptTokens - cacheReadTokens - cacheWriteTokens);
  const dollars =
    fresh * price.input +
    cacheReadTokens * (price.cacheRead ?? price.input) +
    cacheWriteTokens * (price.cacheWrite ?? price.input) +
    tokens.completionTokens * price.output;
  return dollars / 1_000_000;
}

function count(tokens: number | undefined): number {
  return tokens !== undefined && Number.isFinite(tokens) && tokens > 0 ? Math.round(tokens) : 0;
}
