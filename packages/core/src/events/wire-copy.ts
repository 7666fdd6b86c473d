import { EventError } from './event-error.ts';
import { notJson } from './freeze-json.ts';
import { isObject, type Json } from '../platform/json.ts';
import { type ExtraKeys, full, notesOn, oncePerSchema } from './model.ts';
import { z } from 'zod';

/** The plan for writing a value of one schema: the parts that are fields of a model, and the parts that are free-form JSON. */
export type WirePlan =
  | { readonly type: 'free' }
  | { readonly type: 'never-null-text' }
  | { readonly type: 'list'; readonly item: WirePlan }
  | { readonly type: 'model'; readonly fields: ReadonlyMap<string, WirePlan>; readonly extra: ExtraKeys }
  | { readonly type: 'pick'; readonly pick: (value: unknown) => WirePlan };

/** The plan of a schema, derived from it once: fields are written in the order in which the schema declares them. */
export const wirePlanOf: (schema: z.ZodType) => WirePlan = oncePerSchema(derive);

function derive(schema: z.ZodType): WirePlan {
  const { pick, neverNull, extra = 'keep' } = notesOn(schema);
  if (pick) return { type: 'pick', pick: (value) => wirePlanOf(pick(value)) };
  if (neverNull) return { type: 'never-null-text' };
  if (schema instanceof z.ZodExactOptional || schema instanceof z.ZodNullable) return wirePlanOf(full(schema.unwrap()));
  if (schema instanceof z.ZodArray) return { type: 'list', item: wirePlanOf(full(schema.element)) };
  if (!(schema instanceof z.ZodObject)) return { type: 'free' };
  const fields = Object.entries(schema.shape).map(([name, field]) => [name, wirePlanOf(full(field))] as const);
  return { type: 'model', fields: new Map(fields), extra };
}

type ModelPlan = Extract<WirePlan, { type: 'model' }>;

/** The keys on the way to the value that is copied: one list for a whole value, because a list for each member would be most of the work. */
type Way = (string | number)[];
const FREE: WirePlan = { type: 'free' };

/**
 * The value as the reference would write it: fields in its order, absent where null, nothing shared with the input.
 * Nulls inside free-form values stay. Half surrogate pairs become U+FFFD, because other readers refuse the file.
 * @throws EventError for keys that the protocol forbids and values that are not JSON.
 */
export function wireCopy(value: unknown, plan: WirePlan, way: Way = []): Json {
  if (plan.type === 'pick') return wireCopy(value, plan.pick(value), way);
  if (plan.type === 'model' && isObject(value)) return copyModel(value, plan, way);
  const wrong = notJson(value, way);
  if (wrong) throw wrong;
  if (typeof value === 'string') return value.toWellFormed();
  const items = plan.type === 'list' ? plan.item : FREE;
  if (Array.isArray(value)) return value.map((item, index) => within(way, index, item, items));
  if (!isObject(value)) return value as Json;
  const copy: Record<string, Json> = {};
  for (const key of Object.keys(value))
    if (value[key] !== undefined) put(copy, key.toWellFormed(), within(way, key, value[key], FREE));
  return copy;
}

/** The value as JSON, as {@link wireCopy} copies free-form values: members that are undefined are left out. */
export function jsonCopy(value: unknown): Json {
  return wireCopy(value, FREE);
}

function within(way: Way, key: string | number, member: unknown, plan: WirePlan): Json {
  way.push(key);
  const copy = wireCopy(member, plan, way);
  way.pop();
  return copy;
}

function copyModel(value: Readonly<Record<string, unknown>>, plan: ModelPlan, way: Way): Json {
  const copy: Record<string, Json> = {};
  const kept = keptKeys(value, plan, way);
  for (const [name, field] of plan.fields) {
    // `kind` comes after a model's own fields, unknown ones included.
    if (name === 'kind') for (const key of kept) put(copy, key, within(way, key, value[key], FREE));
    const own = Object.hasOwn(value, name) ? value[name] : undefined;
    if (own !== null && own !== undefined) copy[name] = within(way, name, own, field);
    else if (field.type === 'never-null-text') copy[name] = '';
  }
  return copy;
}

function keptKeys(value: Readonly<Record<string, unknown>>, plan: ModelPlan, way: Way): readonly string[] {
  const unknown = Object.keys(value).filter((key) => !plan.fields.has(key) && value[key] !== undefined);
  if (unknown.length > 0 && plan.extra === 'forbid') {
    const where = [...way, unknown[0] ?? ''];
    throw new EventError(`${where.join('.')}: the protocol has no such field; leave it out`, { path: where });
  }
  return plan.extra === 'keep' ? unknown.filter((key) => value[key] !== null) : [];
}

/** Adds a member. A key named __proto__ is defined, so that it stays a key. */
function put(copy: Record<string, Json>, key: string, value: Json): void {
  if (key !== '__proto__') copy[key] = value;
  else Object.defineProperty(copy, key, { value, enumerable: true });
}
