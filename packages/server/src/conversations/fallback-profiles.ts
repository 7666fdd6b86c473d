import { readLlm, type StoredLlm } from '@conv/openhands/descriptions';

import type { ServerProfiles } from '../hosting/host-options.ts';

/** A profile that a model has as a fallback. */
interface FallbackProfile {
  readonly name: string;
  readonly profile: StoredLlm;
  /** The members of the model that lead to its name. */
  readonly path: readonly string[];
}

/** Yields the profiles that a model has as fallbacks. The fallbacks of a fallback do not count. */
export async function* fallbackProfiles(
  { fallback_strategy: { fallback_llms: names } }: Pick<StoredLlm, 'fallback_strategy'>,
  profiles: Pick<ServerProfiles, 'llm'> | undefined,
): AsyncGenerator<FallbackProfile> {
  for (const [index, name] of names.entries()) {
    // a profile that cannot be read is no reason to refuse: the agent goes without it and says so
    const llm = await profiles?.llm(name).catch(() => undefined);
    if (llm) yield { name, profile: readLlm(llm), path: ['fallback_strategy', 'fallback_llms', String(index)] };
  }
}
