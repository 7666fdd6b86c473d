import type { JsonObject } from '@conv/core/events';
import type { ModelProfiles } from './model-profiles.ts';
import type { Model } from '../model.ts';
import { storedModelAlone } from './stored-model.ts';
import { withStoredFallbacks } from './with-stored-fallbacks.ts';

/**
 * Returns the model as {@link storedModel} does, with the fallbacks that its `fallback_strategy` names among `profiles` behind its own.
 * A profile that cannot be loaded is left out with a process warning.
 */
export function storedModelWithProfiles(llm: JsonObject, profiles: Pick<ModelProfiles, 'load'>): Promise<Model> {
  return withStoredFallbacks(storedModelAlone(llm), llm, {
    modelOf: async (fallback) => storedModelAlone(fallback),
    load: (name) => profiles.load(name),
  });
}
