import { EventError } from './event-error.ts';
import { isPlain, MAX_DEPTH } from './freeze-json.ts';
import { isObject, type Json } from '../platform/json.ts';
import type { WirePlan } from './wire-plan.ts';

type Path = readonly (string | number)[];
type ModelPlan = Extract<WirePlan, { type: 'model' }>;

/**
 * The value as the reference would write it: fields in its order, absent where null, nothing shared with the input.
 * Nulls inside free-form values stay. Half surrogate pairs become U+FFFD, because other readers refuse the file.
 * @throws EventError for keys that the protocol forbids and values that are not JSON.
 */
export function wireCopy(value: unknown, plan: WirePlan, path: Path = []): Json {
  if (plan.type === 'pick') return wireCopy(value, plan.pick(value), path);
  if (plan.type === 'list' && Array.isArray(value)) {
    return value.map((item, index) => wireCopy(item, plan.item, [...path, index]));
  }
  if (plan.type === 'model' && isObject(value)) return copyModel(value, plan, path);
  return jsonCopy(value, path);
}

function copyModel(value: Readonly<Record<string, unknown>>, plan: ModelPlan, path: Path): Json {
  const entries: [string, Json][] = [];
  const kept = keptKeys(value, plan, path);
  for (const [name, field] of plan.fields) {
    // `kind` comes after a model's own fields, unknown ones included.
    if (name === 'kind') for (const key of kept) entries.push([key, jsonCopy(value[key], [...path, key])]);
    const own = Object.hasOwn(value, name) ? value[name] : undefined;
    if (own === null || own === undefined) {
      if (field.type === 'never-null-text') entries.push([name, '']);
    } else entries.push([name, wireCopy(own, field, [...path, name])]);
  }
  return Object.fromEntries(entries);
}

function keptKeys(value: Readonly<Record<string, unknown>>, plan: ModelPlan, path: Path): string[] {
  const unknown = Object.keys(value).filter((key) => !plan.fields.has(key) && value[key] !== undefined);
  if (unknown.length > 0 && plan.extra === 'forbid') {
    const where = [...path, unknown[0] ?? ''];
    throw new EventError(`${where.join('.')}: the protocol has no such field`, { path: where });
  }
  return plan.extra === 'keep' ? unknown.filter((key) => value[key] !== null) : [];
}

/**
 * The value as JSON, nothing shared with it: members that are undefined are left out, half surrogate pairs become U+FFFD.
 * @throws EventError naming the first part that is not JSON.
 */
export function jsonCopy(value: unknown, path: Path = []): Json {
  if (path.length > MAX_DEPTH) throw new EventError(`${path[0]}: nested deeper than ${MAX_DEPTH} levels`, { path });
  if (typeof value === 'string') return wellFormed(value);
  if (value === null || typeof value === 'boolean') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  if (Array.isArray(value)) return value.map((item, index) => jsonCopy(item, [...path, index]));
  if (!isObject(value) || !isPlain(value)) {
    throw new EventError(
      `${path.join('.')}: ${isObject(value) ? 'an object with a class of its own' : typeof value} is not JSON`,
      { path },
    );
  }
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  // fromEntries defines properties, so a key named __proto__ stays a key.
  return Object.fromEntries(entries.map(([key, item]) => [wellFormed(key), jsonCopy(item, [...path, key])]));
}

function wellFormed(text: string): string {
  return text.replaceAll(/\p{Surrogate}/gu, '\uFFFD');
}
