import type { Effects } from './effect.ts';
import { AGENT_EFFECTS } from './effects/agent-effects.ts';
import { CONVERSATION_EFFECTS } from './effects/conversation-effects.ts';
import { MCP_EFFECTS } from './effects/mcp-effects.ts';
import { MODEL_EFFECTS } from './effects/model-effects.ts';
import { QUERY_EFFECTS } from './effects/query-effects.ts';
import { SAFEGUARD_EFFECTS } from './effects/safeguard-effects.ts';
import { SETTINGS_EFFECTS } from './effects/settings-effects.ts';
import { START_EFFECTS } from './effects/start-effects.ts';

const PARTS: readonly Effects[] = [
  START_EFFECTS,
  AGENT_EFFECTS,
  MODEL_EFFECTS,
  MCP_EFFECTS,
  SAFEGUARD_EFFECTS,
  CONVERSATION_EFFECTS,
  SETTINGS_EFFECTS,
  QUERY_EFFECTS,
];

/** Joins the parts. Throws if two of them tell of one component or route. */
function joined(parts: readonly Effects[]): Effects {
  const entries = parts.flatMap((part) => Object.entries(part));
  const twice = entries.filter(([owner], at) => entries.findIndex(([other]) => other === owner) !== at);
  const names = twice.map(([owner]) => owner).join(', ');
  if (twice.length > 0) throw new Error(`expected each owner in one part, found ${names} in two; keep one of them`);
  return Object.fromEntries(entries);
}

/** Effects of each member of each request, by the component of the OpenAPI document, or by the route for members of its query. */
export const EFFECTS: Effects = joined(PARTS);
