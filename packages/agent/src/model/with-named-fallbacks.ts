import type { JsonObject } from '@conv/core/events';
import { isObject } from '../json.ts';
import type { Model } from './model.ts';
import { withFallbacks } from './with-fallbacks.ts';

/**
 * The model with the fallbacks that its LLM object names as profiles, as OpenHands does, behind those that it has. One that
 * cannot be loaded is left out with a process warning: it would only be asked if the model fails.
 */
export async function withNamedFallbacks(
  model: Model,
  { fallback_strategy: strategy }: JsonObject,
  load: (name: string) => Promise<Model>,
): Promise<Model> {
  const names: readonly unknown[] =
    isObject(strategy) && Array.isArray(strategy['fallback_llms']) ? strategy['fallback_llms'] : [];
  if (names.length === 0) return model;
  const loaded = await Promise.allSettled(names.map((name) => load(String(name))));
  const fallbacks = loaded.flatMap((outcome, index) => {
    if (outcome.status === 'fulfilled') return [outcome.value];
    const reason = outcome.reason instanceof Error ? outcome.reason.message : String(outcome.reason);
    process.emitWarning(`${model.name} goes without the fallback ${String(names[index])}: ${reason}`, 'ModelWarning');
    return [];
  });
  return withFallbacks(model, [...(model.fallbacks ?? []), ...fallbacks]);
}
