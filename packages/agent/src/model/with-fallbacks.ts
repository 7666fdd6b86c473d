import type { LanguageModelV4 } from '@ai-sdk/provider';
import { type Model, toModel } from './model.ts';

/**
 * `model` with others that are asked, in this order, when it fails for the time being: no answer, too many requests, silence,
 * an outage ({@link LlmError.retryable}). Each is tried as often as its own `retry` says, in its own protocol. What a call costs
 * is counted under the same usage id, by the model that answered; when all fail, the error is the first model's and says why the
 * others failed too. Replaces fallbacks that `model` had; those of the others come behind them. Throws `TypeError` for what is
 * no model.
 *
 * @example
 * ```ts
 * import { anthropic, createAgent, openai, withFallbacks } from '@conv/agent';
 *
 * export const careful = (openaiKey: string, anthropicKey: string) =>
 *   createAgent({
 *     model: withFallbacks(openai('gpt-5', { apiKey: openaiKey }), [anthropic('claude-opus-4-1', { apiKey: anthropicKey })]),
 *   });
 * ```
 */
export function withFallbacks(model: Model | LanguageModelV4, fallbacks: readonly (Model | LanguageModelV4)[]): Model {
  const { fallbacks: _, ...first } = toModel(model);
  const flat = fallbacks.flatMap((fallback) => {
    const { fallbacks: further = [], ...own } = toModel(fallback);
    return [own, ...further];
  });
  return flat.length === 0 ? first : { ...first, fallbacks: flat };
}
