import type { EventDraft } from '../events/index.ts';
import { isJsonObject, type JsonObject } from '../platform/json.ts';
import type { StateFields } from '../contract/state/fields.ts';
import { mapItems, mapMembers } from './map-same.ts';

/** Masks the parts of a state. */
interface FieldMask {
  text(text: string): string;
  json<Value>(value: Value): Value;
  draft<Draft extends EventDraft>(draft: Draft): Draft;
}

/**
 * Fields with texts of people, models, tools and programs, such as an agent's prompt. The other fields hold our own names and
 * numbers. Hooks are not masked, because a masked hook would do something else; a hook that contains a value is refused when it
 * is set.
 */
const CONTENT: ReadonlySet<string> = new Set<keyof StateFields>([
  'agent',
  'securityAnalyzer',
  'title',
  'tags',
  'agentState',
  'clientTools',
  'blockedActions',
  'blockedMessages',
  'assessments',
]);

/** Returns the fields of a state or a patch with their content masked; the same object when nothing had to be masked. */
export function maskFields<Fields extends Partial<StateFields>>(fields: Fields, mask: FieldMask): Fields {
  return mapMembers(fields, (value, name) => maskField(name, value, mask));
}

function maskField(name: string, value: unknown, mask: FieldMask): unknown {
  if (name === 'queue') return mapItems(value as StateFields['queue'], (queued) => maskQueued(queued, mask));
  if (name === 'goal') return maskGoal(value as StateFields['goal'], mask);
  if (name === 'secretRegistry') return maskDescriptions(value as JsonObject, mask);
  if (name === 'extra') return maskKept(value as StateFields['extra'], mask);
  return CONTENT.has(name) ? mask.json(value) : value;
}

/** Masks the metadata that the creator gave, because it is content. The data of another program beside it stays as written. */
function maskKept(extra: StateFields['extra'], mask: FieldMask): StateFields['extra'] {
  const meta = mask.json(extra.meta);
  return meta === extra.meta ? extra : { ...extra, meta };
}

function maskQueued(queued: StateFields['queue'][number], mask: FieldMask): StateFields['queue'][number] {
  const draft = mask.draft(queued.draft as unknown as EventDraft) as unknown as JsonObject;
  return draft === queued.draft ? queued : { ...queued, draft };
}

/** Masks a goal. Its status stays, because it is one of our own words. */
function maskGoal(goal: StateFields['goal'], mask: FieldMask): StateFields['goal'] {
  if (!goal) return goal;
  const { objective, verdict } = goal;
  const safe = { objective: mask.text(objective), missing: verdict?.missing && mask.text(verdict.missing) };
  if (safe.objective === objective && safe.missing === verdict?.missing) return goal;
  const missing = verdict && safe.missing ? { verdict: { ...verdict, missing: safe.missing } } : {};
  return { ...goal, objective: safe.objective, ...missing };
}

/** Masks the descriptions of secrets, because one may contain the value of another. The ciphertext stays. */
function maskDescriptions(registry: JsonObject, mask: FieldMask): JsonObject {
  const sources = registry['secret_sources'];
  if (!isJsonObject(sources)) return registry;
  const masked = mapMembers(sources, (source) => {
    if (!isJsonObject(source) || typeof source['description'] !== 'string') return source;
    const description = mask.text(source['description']);
    return description === source['description'] ? source : { ...source, description };
  });
  return masked === sources ? registry : { ...registry, secret_sources: masked };
}
