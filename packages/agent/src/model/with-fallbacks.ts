import type { LanguageModelV4 } from '@ai-sdk/provider';
import { checks } from '@conv/core';
import { type Model, toModel } from './model.ts';

/**
 * Returns `model` with fallbacks that are asked, in this order, after a transient failure: no answer, too many requests, silence,
 * an outage ({@link LlmError.retryable}). Each model is tried as often as its own `retry` says, in its own protocol. The cost of a
 * call is counted under the same usage id, for the model that answered. If all models fail, the error is the first model's and
 * names the reasons of the others. Replaces the fallbacks of `model`; each fallback is followed by its own fallbacks. Throws
 * `TypeError` if an argument is no model.
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
  if (!Array.isArray(fallbacks))
    throw new TypeError(
      checks.wrongValue(
        'withFallbacks: fallbacks',
        "a list such as [anthropic('claude-opus-4-1', { apiKey })]",
        fallbacks,
      ),
    );
  const flat = fallbacks.flatMap((fallback) => {
    const { fallbacks: further = [], ...own } = toModel(fallback);
    return [own, ...further];
  });
  return flat.length === 0 ? first : { ...first, fallbacks: flat };
}
