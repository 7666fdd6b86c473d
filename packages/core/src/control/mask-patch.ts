import type { EventDraft } from '../events/index.ts';
import type { Json, JsonObject } from '../json.ts';
import type { StateFields, QueuedMessage } from '../state/fields.ts';
import type { StatePatch } from '../state/patch.ts';
import type { EventMask } from './event-mask.ts';

/**
 * Fields that hold what people, models, tools and programs said, an agent's prompt for one. The others are names and numbers
 * of ours. Hooks are what protects: masked they would do something else, so a value in one is refused where it is given.
 */
const CONTENT: ReadonlySet<string> = new Set<keyof StateFields>([
  'agent',
  'title',
  'tags',
  'agentState',
  'blockedActions',
  'blockedMessages',
  'assessments',
]);

/** The patch with its content masked. */
export function maskPatch(patch: StatePatch, mask: EventMask): StatePatch {
  if (!mask.active) return patch;
  const { set, add } = patch;
  return { ...patch, ...(set ? { set: maskFields(set, mask) } : {}), ...(add ? { add: maskFields(add, mask) } : {}) };
}

function maskFields<Fields extends Partial<StateFields>>(fields: Fields, mask: EventMask): Fields {
  const masked = Object.entries(fields).map(([name, value]: [string, unknown]): [string, unknown] => {
    if (name === 'queue') return [name, (value as readonly QueuedMessage[]).map((queued) => maskQueued(queued, mask))];
    if (name === 'secretRegistry') return [name, maskDescriptions(value as JsonObject, mask)];
    return [name, CONTENT.has(name) ? mask.json(value) : value];
  });
  return Object.fromEntries(masked) as Fields;
}

function maskQueued(queued: QueuedMessage, mask: EventMask): QueuedMessage {
  const draft = mask.draft(queued.draft as unknown as EventDraft) as unknown as QueuedMessage['draft'];
  return { ...queued, draft };
}

/** What a secret is for may be said in words that hold another one. Its ciphertext stays. */
function maskDescriptions(registry: JsonObject, mask: EventMask): JsonObject {
  const sources = registry['secret_sources'];
  if (!isObject(sources)) return registry;
  const masked = Object.entries(sources).map(([name, source]): [string, Json] => {
    const described = isObject(source) && typeof source['description'] === 'string';
    return [name, described ? { ...source, description: mask.text(source['description'] as string) } : source];
  });
  return { ...registry, secret_sources: Object.fromEntries(masked) };
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
