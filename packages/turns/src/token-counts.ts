import type { ConversationView } from '@conv/core';

/** The tokens that models have taken. */
export interface TokenCounts {
  readonly input: number;
  readonly output: number;
  /** Those of the input that came from a cache. */
  readonly cached: number;
  /** Those of the output that are reasoning. */
  readonly reasoning: number;
}

/** Returns the tokens that all models of a conversation have taken so far, or since `before`, which an earlier call returned. */
export function tokenCounts({ stats }: Pick<ConversationView, 'stats'>, before?: TokenCounts): TokenCounts {
  const counts = { input: 0, output: 0, cached: 0, reasoning: 0 };
  for (const use of Object.values(stats)) {
    counts.input += use.promptTokens;
    counts.output += use.completionTokens;
    counts.cached += use.cacheReadTokens;
    counts.reasoning += use.reasoningTokens;
  }
  if (!before) return counts;
  const { input, output, cached, reasoning } = counts;
  return {
    input: input - before.input,
    output: output - before.output,
    cached: cached - before.cached,
    reasoning: reasoning - before.reasoning,
  };
}
