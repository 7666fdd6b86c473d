import { errorText } from '@conv/core';
import { isObject } from '@conv/core/platform';
import type { JsonObject } from '@conv/core/events';
import { storedFallbacks } from './model-from-description.ts';
import type { Model } from '../model.ts';
import { withFallbacks } from '../with-fallbacks.ts';

/** The prefix of the usage ids of models from profiles, as in the reference; the profile's name follows. */
export const PROFILE_USAGE = 'profile:';

export interface FallbackSources {
  /** Makes the model of an LLM object, without fallbacks. */
  readonly modelOf: (llm: JsonObject) => Promise<Model>;
  /** Loads a profile. Default: the names of profiles are ignored. */
  readonly load?: ((name: string) => Promise<Model>) | undefined;
}

/**
 * Adds the fallbacks of an LLM object to its model: first the LLM objects in it, then the profiles that it names, as
 * OpenHands does. A profile that cannot be loaded is left out with a process warning, because it would be asked only if
 * the model fails. A model that has fallbacks already keeps them instead of the LLM objects.
 */
export async function withStoredFallbacks(
  model: Model,
  llm: JsonObject,
  { modelOf, load }: FallbackSources,
): Promise<Model> {
  const own = model.fallbacks ?? (await Promise.all(storedFallbacks(llm).map(modelOf)));
  const named = load === undefined ? [] : await loadNamed(model, llm, load);
  return withFallbacks(model, [...own, ...named]);
}

/** Returns the names of the profiles that an LLM object has as fallbacks. */
export function namedFallbacks({ fallback_strategy: strategy }: JsonObject): readonly string[] {
  const names: unknown = isObject(strategy) ? strategy['fallback_llms'] : undefined;
  return Array.isArray(names) ? names.map(String) : [];
}

async function loadNamed(
  { name: subject }: Model,
  llm: JsonObject,
  load: (name: string) => Promise<Model>,
): Promise<readonly Model[]> {
  const names = namedFallbacks(llm);
  const loaded = await Promise.allSettled(names.map((name) => load(name)));
  return loaded.flatMap((outcome, index) => {
    if (outcome.status === 'fulfilled') return [outcome.value];
    const reason = errorText(outcome.reason);
    process.emitWarning(`${subject} goes without the fallback ${names[index]}: ${reason}`, 'ModelWarning');
    return [];
  });
}
