import { errorText } from '@conv/core';
import { readLlm, type StoredLlm } from '@conv/openhands/descriptions';
import type { Model } from '../model.ts';
import { withFallbacks } from '../with-fallbacks.ts';

/** The prefix of the usage ids of models from profiles, as in the reference; the profile's name follows. */
export const PROFILE_USAGE = 'profile:';

export interface ModelSources {
  /** Makes the model of an LLM object, without fallbacks. */
  readonly modelOf: (llm: StoredLlm) => Promise<Model>;
  /** Loads a profile. Default: the names of profiles are ignored. */
  readonly load?: ((name: string) => Promise<Model>) | undefined;
}

/**
 * Makes the model of an LLM object with its fallbacks: first the LLM objects in it, then the profiles that it names, as
 * OpenHands does. A profile that cannot be loaded is left out with a process warning, because it would be asked only if
 * the model fails. A model that has fallbacks already keeps them instead of the LLM objects.
 */
export async function withStoredFallbacks(llm: StoredLlm, { modelOf, load }: ModelSources): Promise<Model> {
  const model = await modelOf(llm);
  const described = llm.fallbacks.filter((fallback) => fallback !== undefined);
  const own = model.fallbacks ?? (await Promise.all(described.map((fallback) => modelOf(readLlm(fallback)))));
  if (load === undefined) return withFallbacks(model, own);
  const names = llm.fallback_strategy.fallback_llms;
  const loaded = await Promise.allSettled(names.map((name) => load(name)));
  const named = loaded.flatMap((outcome, index) => {
    if (outcome.status === 'fulfilled') return [outcome.value];
    const reason = errorText(outcome.reason);
    process.emitWarning(`${model.name} continues without the fallback ${names[index]}: ${reason}`, 'ModelWarning');
    return [];
  });
  return withFallbacks(model, [...own, ...named]);
}
