import type { JsonObject } from '@conv/core/events';
import { readLlm } from '@conv/openhands/descriptions';
import { sayable } from '../../base/json.ts';
import type { Model } from '../model.ts';
import { PROFILE_USAGE } from './with-stored-fallbacks.ts';

/**
 * Returns the wire's LLM object, secrets in plain text. Our own members hold what the wire lacks, and other programs keep them:
 * `fallbacks`, `reasoning`, `provider_options`, and the prices of cached tokens.
 */
export function describeModel(model: Model, usageId: string): JsonObject {
  const { settings = {}, price, timeout, idleTimeout, retry, api } = model;
  const { fallback_strategy: strategy } = readLlm(model.description ?? {});
  const profiles = strategy.fallback_llms.map((name) => `${PROFILE_USAGE}${name}`);
  // Fallbacks from profiles are named in the description already: if they were described as well, they would be asked
  // twice after a restart.
  const fallbacks = (model.fallbacks ?? []).filter(({ usageId: own = '' }) => !profiles.includes(own));
  const { reasoning, providerOptions } = settings;
  const headers = Object.entries(settings.headers ?? {}).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  const known: Record<string, string | number | boolean | undefined> = {
    model: model.name,
    usage_id: usageId,
    api_mode: api === 'responses' || api === 'chat' ? api : undefined,
    timeout: timeout === undefined ? undefined : Math.max(1, Math.round(timeout / 1000)),
    stream_idle_timeout: idleTimeout === undefined ? undefined : idleTimeout / 1000,
    num_retries: retry?.attempts,
    temperature: settings.temperature,
    top_p: settings.topP,
    top_k: settings.topK,
    seed: settings.seed,
    // The wire's effort holds only for models that speak Responses, because every other description has it too.
    [api === 'responses' ? 'reasoning_effort' : 'reasoning']: reasoning === 'provider-default' ? undefined : reasoning,
    max_input_tokens: model.contextWindow,
    max_output_tokens: settings.maxOutputTokens,
    input_cost_per_token: price === undefined ? undefined : price.input / 1_000_000,
    output_cost_per_token: price === undefined ? undefined : price.output / 1_000_000,
    cache_read_input_token_cost: price?.cacheRead === undefined ? undefined : price.cacheRead / 1_000_000,
    cache_creation_input_token_cost: price?.cacheWrite === undefined ? undefined : price.cacheWrite / 1_000_000,
    disable_vision: model.vision === false ? true : undefined,
    native_tool_calling: model.textCalls === true ? false : undefined,
  };
  return {
    ...sayable(known),
    ...model.secrets(),
    ...(providerOptions && { provider_options: plainJson(providerOptions) }),
    ...(headers.length === 0 ? {} : { extra_headers: Object.fromEntries(headers) }),
    ...(fallbacks.length === 0 ? {} : { fallbacks: fallbacks.map((fallback) => describeModel(fallback, usageId)) }),
    ...model.description,
    usage_id: model.usageId ?? usageId,
  };
}

/** Returns the value as JSON: without members that are `undefined`. */
function plainJson(value: object): JsonObject {
  return JSON.parse(JSON.stringify(value)) as JsonObject;
}
