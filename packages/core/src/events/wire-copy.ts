import { EventError } from './event-error.ts';
import { notJson, type Path } from './freeze-json.ts';
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

/**
 * The value as the reference would write it: fields in its order, absent where null, nothing shared with the input.
 * Nulls inside free-form values stay. Half surrogate pairs become U+FFFD, because other readers refuse the file.
 * @throws EventError for keys that the protocol forbids and values that are not JSON.
 */
export function wireCopy(value: unknown, plan: WirePlan, path: Path = []): Json {
  if (plan.type === 'pick') return wireCopy(value, plan.pick(value), path);
  if (plan.type === 'list' && Array.isArray(value))
    return value.map((item, index) => wireCopy(item, plan.item, [...path, index]));
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
    throw new EventError(`${where.join('.')}: the protocol has no such field; leave it out`, { path: where });
  }
  return plan.extra === 'keep' ? unknown.filter((key) => value[key] !== null) : [];
}

/**
 * The value as JSON, nothing shared with it: members that are undefined are left out, half surrogate pairs become U+FFFD.
 * @throws EventError naming the first part that is not JSON.
 */
export function jsonCopy(value: unknown, path: Path = []): Json {
  const wrong = notJson(value, path);
  if (wrong) throw wrong;
  if (typeof value === 'string') return value.toWellFormed();
  if (Array.isArray(value)) return value.map((item, index) => jsonCopy(item, [...path, index]));
  if (!isObject(value)) return value as Json;
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  // fromEntries defines properties, so a key named __proto__ stays a key.
  return Object.fromEntries(entries.map(([key, item]) => [key.toWellFormed(), jsonCopy(item, [...path, key])]));
}
