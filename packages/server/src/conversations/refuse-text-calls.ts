import type { Json, JsonObject } from '@conv/core';
import { isObject } from '@conv/core/platform';

import { invalidMember } from '../http/api-error.ts';
import type { ServerProfiles } from '../hosting/host-options.ts';

/** Returns the path below the body to a member of a description, which is given by its path below the description. */
type Place = (member: readonly string[]) => readonly string[];

/**
 * Refuses the description of a model that wants calls of tools as text, or has such a model among its fallbacks: the objects in
 * it, and the profiles that it names. Agents here pass calls in the provider's own form alone, so such a description would start
 * an agent that behaves otherwise than its client asked. Rejects {@link ApiError} 422 that names the place.
 */
export async function refuseTextCalls(
  llm: Json | undefined,
  profiles: Pick<ServerProfiles, 'llm'> | undefined,
  place: Place,
): Promise<void> {
  if (!isObject(llm)) return;
  const { fallbacks, fallback_strategy: strategy } = llm as JsonObject;
  refuse(llm as JsonObject, () => place(['native_tool_calling']));
  for (const [index, fallback] of asList(fallbacks).entries())
    refuse(fallback, () => place(['fallbacks', String(index), 'native_tool_calling']));
  const names = isObject(strategy) ? (strategy as JsonObject)['fallback_llms'] : undefined;
  for (const [index, name] of asList(names).entries())
    if (typeof name === 'string')
      // a profile that cannot be read is no reason to refuse: the agent goes without it and says so
      refuse(
        await profiles?.llm(name).catch(() => undefined),
        () => place(['fallback_strategy', 'fallback_llms', String(index)]),
        name,
      );
}

function asList(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

function refuse(llm: Json | undefined, place: () => readonly string[], profile?: string): void {
  if (!isObject(llm) || (llm as JsonObject)['native_tool_calling'] !== false) return;
  throw invalidMember(
    place(),
    `native_tool_calling${profile === undefined ? '' : ` of the profile '${profile}'`}: expected true, found false. This server ` +
      'passes calls of tools in the form of the provider, not as text; leave the member out, or choose a model that calls tools itself',
  );
}
