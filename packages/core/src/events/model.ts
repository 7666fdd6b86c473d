import { z } from 'zod';

/**
 * The treatment of a key that a model does not declare when an event is *made* here (protocol: extra-field policy). Reading
 * always keeps it.
 */
export type ExtraKeys = 'forbid' | 'ignore' | 'keep';

const extraKeys = new WeakMap<z.ZodType, ExtraKeys>();
const neverNull = new WeakSet<z.ZodType>();
const picks = new WeakMap<z.ZodType, (value: unknown) => z.ZodType>();
const choices = new WeakMap<z.ZodType, SchemaChoice>();

/** The members that a schema chooses from, for descriptions of the schema. */
export interface SchemaChoice {
  readonly name: string;
  /** By their names. */
  readonly members: Readonly<Record<string, z.ZodType>>;
}

/** An object schema that keeps unknown keys when reading. Its field order is the order in which fields are written. */
export function model<Shape extends z.core.$ZodLooseShape>(
  extra: ExtraKeys,
  shape: Shape,
): z.ZodObject<Shape, z.core.$loose> {
  const schema = z.looseObject(shape);
  extraKeys.set(schema, extra);
  return schema;
}

/** The policy with which a schema was made by `model`. */
export function extraKeysOf(schema: z.ZodType): ExtraKeys {
  return extraKeys.get(schema) ?? 'keep';
}

/** A field that may be absent, or null where the channel writes nulls (REST by id, webhooks). */
export function optional<Schema extends z.ZodType>(schema: Schema): z.ZodExactOptional<z.ZodNullable<Schema>> {
  return z.exactOptional(z.nullable(schema));
}

/**
 * A nullable text that is always written, as an empty one if need be: the reference drops its null on writing and then
 * cannot read the event again.
 */
export function neverNullText(): z.ZodExactOptional<z.ZodNullable<z.ZodString>> {
  const schema = optional(z.string());
  neverNull.add(schema);
  return schema;
}

/** True if a schema was made by `neverNullText`. */
export function isNeverNullText(schema: z.ZodType): boolean {
  return neverNull.has(schema);
}

/** A schema that is chosen by looking at the value, so that errors name the field and not "no member of the union". */
export function pickSchema<T>(choice: SchemaChoice, pick: (value: unknown) => z.ZodType): z.ZodType<T> {
  const schema = z.custom<T>().check((context) => {
    const result = pick(context.value).safeParse(context.value);
    if (result.success) return;
    for (const issue of result.error.issues) {
      context.issues.push({ code: 'custom', path: [...issue.path], message: issue.message, input: context.value });
    }
  });
  picks.set(schema, pick);
  choices.set(schema, choice);
  return schema;
}

/** Returns the members that a schema chooses from by looking at the value; `undefined` for any other schema. */
export function schemaChoiceOf(schema: z.ZodType): SchemaChoice | undefined {
  return choices.get(schema);
}

/** The chooser behind a schema made by `pickSchema`. */
export function pickOf(schema: z.ZodType): ((value: unknown) => z.ZodType) | undefined {
  return picks.get(schema);
}
