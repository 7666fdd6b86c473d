import type { PromptResponse, Usage } from '@agentclientprotocol/sdk/unstable';
import type { CallRecord } from '@conv/core/store';
import { z } from 'zod';

/** The use of a model by which the turns of a program are counted, as OpenHands names it. */
export const USAGE_ID = 'acp-managed';

/** The input of a record. */
export interface CountedTurn {
  readonly response: PromptResponse;
  readonly model: string;
  readonly responseId: string;
  /** The cost of this turn in US dollars; `undefined` when the program tells none. */
  readonly cost: number | undefined;
  readonly contextWindow: number;
  /** Milliseconds that it took. */
  readonly took: number;
  /** Milliseconds since 1970 at its end. */
  readonly now: number;
}

/** Returns the record of a turn; `undefined` when the program tells neither tokens nor a cost. */
export function recordOf(turn: CountedTurn): CallRecord | undefined {
  const usage = turn.response.usage ?? quotaOf(turn.response);
  if (!usage && turn.cost === undefined) return undefined;
  return {
    kind: 'model_call',
    usageId: USAGE_ID,
    model: turn.model,
    cost: Math.max(0, turn.cost ?? 0),
    promptTokens: usage?.inputTokens ?? 0,
    completionTokens: usage?.outputTokens ?? 0,
    cacheReadTokens: usage?.cachedReadTokens ?? 0,
    cacheWriteTokens: usage?.cachedWriteTokens ?? 0,
    reasoningTokens: usage?.thoughtTokens ?? 0,
    contextWindow: turn.contextWindow,
    latency: turn.took / 1000,
    responseId: turn.responseId,
    timestamp: turn.now / 1000,
  };
}

/** The tokens of a turn as Gemini CLI tells them, which has no member `usage`. */
const quotaSchema = z.object({
  quota: z.object({ token_count: z.object({ input_tokens: z.number(), output_tokens: z.number() }) }),
});

function quotaOf({ _meta: meta }: PromptResponse): Usage | undefined {
  const { data } = quotaSchema.safeParse(meta);
  if (!data) return undefined;
  const { input_tokens: inputTokens, output_tokens: outputTokens } = data.quota.token_count;
  return { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens };
}
