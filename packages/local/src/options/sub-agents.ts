import type { JsonObject } from '@conv/core';
import { isJsonObject } from '@conv/core/platform';

/** The member of a conversation's metadata with the definitions of sub-agents that its creator sent. */
const MEMBER = 'agent_definitions';

/** Returns the definitions of sub-agents in the metadata of a conversation. */
export function subAgentsIn(meta: JsonObject): readonly JsonObject[] {
  const sent = meta[MEMBER];
  return Array.isArray(sent) ? sent.filter(isJsonObject) : [];
}

/** Returns the metadata by which a child conversation has the definitions of its parent; empty if there are none. */
export function passedSubAgents(meta: JsonObject): JsonObject {
  const sent = subAgentsIn(meta);
  return sent.length === 0 ? {} : { [MEMBER]: sent };
}
