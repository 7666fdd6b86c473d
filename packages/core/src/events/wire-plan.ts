import { z } from 'zod';
import { type ExtraKeys, extraKeysOf, isNeverNullText, pickOf } from './model.ts';

/** The plan for writing a value of one schema: the parts that are fields of a model, and the parts that are free-form JSON. */
export type WirePlan =
  | { readonly type: 'free' }
  | { readonly type: 'never-null-text' }
  | { readonly type: 'list'; readonly item: WirePlan }
  | { readonly type: 'model'; readonly fields: ReadonlyMap<string, WirePlan>; readonly extra: ExtraKeys }
  | { readonly type: 'pick'; readonly pick: (value: unknown) => WirePlan };

const plans = new WeakMap<z.ZodType, WirePlan>();

/** The plan of a schema, derived from it once: fields are written in the order in which the schema declares them. */
export function wirePlanOf(schema: z.ZodType): WirePlan {
  let plan = plans.get(schema);
  if (plan === undefined) {
    plan = derive(schema);
    plans.set(schema, plan);
  }
  return plan;
}

function derive(schema: z.ZodType): WirePlan {
  const pick = pickOf(schema);
  if (pick !== undefined) return { type: 'pick', pick: (value) => wirePlanOf(pick(value)) };
  if (isNeverNullText(schema)) return { type: 'never-null-text' };
  if (schema instanceof z.ZodExactOptional || schema instanceof z.ZodNullable)
    return wirePlanOf(inner(schema.unwrap()));
  if (schema instanceof z.ZodArray) return { type: 'list', item: wirePlanOf(inner(schema.element)) };
  if (!(schema instanceof z.ZodObject)) return { type: 'free' };
  const fields = new Map<string, WirePlan>();
  for (const [name, field] of Object.entries(schema.shape)) fields.set(name, wirePlanOf(inner(field)));
  return { type: 'model', fields, extra: extraKeysOf(schema) };
}

function inner(schema: z.core.$ZodType): z.ZodType {
  if (schema instanceof z.ZodType) return schema;
  throw new TypeError('a wire plan needs schemas of the full zod');
}
