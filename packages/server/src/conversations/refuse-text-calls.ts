import type { Json, JsonObject } from '@conv/core';

import { invalidMember } from '../http/invalid-member.ts';

/**
 * Refuses the description of a model that wants calls of tools as text. Agents here pass calls in the provider's own form alone,
 * so such a description would start an agent that behaves otherwise than its client asked. Throws {@link ApiError} 422 that names
 * `place`, the path below the body.
 */
export function refuseTextCalls(llm: Json | undefined, place: readonly string[]): void {
  if ((llm as JsonObject | null | undefined)?.['native_tool_calling'] !== false) return;
  throw invalidMember(
    place,
    'native_tool_calling: expected true, found false. This server passes calls of tools in the form of the provider, not as text; ' +
      'leave the member out, or choose a model that calls tools itself',
  );
}
