import type { Json } from '@conv/core';
import { isJsonObject } from '@conv/core/platform';
import { readLlm, type StoredLlm } from '@conv/openhands/descriptions';

import { invalidMember } from '../http/api-error.ts';
import type { ServerProfiles } from '../hosting/host-options.ts';
import { fallbackProfiles } from './fallback-profiles.ts';

/** Returns the path below the body to a member of a description, which is given by its path below the description. */
type Place = (member: readonly string[]) => readonly string[];

/**
 * Refuses a description with a model that wants tool calls as text, also among its fallbacks and the profiles that it names. Agents
 * here pass tool calls only in the provider's native form, so the agent would behave differently than its client asked. Rejects
 * {@link ApiError} 422 that names the place.
 */
export async function refuseTextCalls(
  llm: Json | undefined,
  profiles: Pick<ServerProfiles, 'llm'> | undefined,
  place: Place,
): Promise<void> {
  if (!isJsonObject(llm)) return;
  const { fallbacks, ...first } = readLlm(llm);
  refuse(first, () => place(['native_tool_calling']));
  for (const [index, fallback] of fallbacks.entries())
    if (fallback) refuse(readLlm(fallback), () => place(['fallbacks', String(index), 'native_tool_calling']));
  for await (const { profile, name, path } of fallbackProfiles(first, profiles))
    refuse(profile, () => place(path), name);
}

function refuse(llm: Pick<StoredLlm, 'native_tool_calling'>, place: () => readonly string[], profile?: string): void {
  if (llm.native_tool_calling !== false) return;
  throw invalidMember(
    place(),
    `native_tool_calling${profile === undefined ? '' : ` of the profile '${profile}'`}: expected true, found false. This server ` +
      'passes tool calls in the native form of the provider, not as text; leave the member out, or choose a model with native tool calls',
  );
}
