import { z } from 'zod';
import { type ExtraKeys, full, notesOn } from './model.ts';

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
  const { pick, neverNull, extra = 'keep' } = notesOn(schema);
  if (pick) return { type: 'pick', pick: (value) => wirePlanOf(pick(value)) };
  if (neverNull) return { type: 'never-null-text' };
  if (schema instanceof z.ZodExactOptional || schema instanceof z.ZodNullable) return wirePlanOf(full(schema.unwrap()));
  if (schema instanceof z.ZodArray) return { type: 'list', item: wirePlanOf(full(schema.element)) };
  if (!(schema instanceof z.ZodObject)) return { type: 'free' };
  const fields = Object.entries(schema.shape).map(([name, field]) => [name, wirePlanOf(full(field))] as const);
  return { type: 'model', fields: new Map(fields), extra };
}
