import { z } from 'zod';
import { isObject, type Json, type JsonObject } from '../platform/json.ts';

/**
 * The treatment of a key that a model does not declare when an event is *made* here (protocol: extra-field policy). Reading
 * always keeps it.
 */
export type ExtraKeys = 'forbid' | 'ignore' | 'keep';

/** The members that a schema chooses from, for descriptions of the schema. */
export interface SchemaChoice {
  readonly name: string;
  /** By their names. */
  readonly members: Readonly<Record<string, z.ZodType>>;
}

/** The facts about a schema that zod cannot express. */
interface Notes {
  readonly extra?: ExtraKeys;
  readonly neverNull?: true;
  readonly choice?: SchemaChoice;
  readonly pick?: (value: unknown) => z.ZodType;
}

const notes = new WeakMap<z.ZodType, Notes>();

type Shape = z.core.$ZodLooseShape;
type OutputOf<Fields extends Shape> = z.output<z.ZodObject<Fields, z.core.$strip>>;
type Listed<Value> = Value extends readonly (infer Item)[] ? readonly Item[] : Value;

/** The members that a shape describes: readonly, and absent where they may be absent. */
export type Members<Fields extends Shape> = {
  readonly [Name in keyof OutputOf<Fields>]: Listed<OutputOf<Fields>[Name]>;
} & {};

/** Schemas by the kind that their values name. */
export type Kinds<Base extends Shape, Shapes extends Readonly<Record<string, Shape>>> = {
  readonly [Kind in keyof Shapes]: z.ZodType<
    Members<Base & Shapes[Kind] & { readonly kind: z.ZodLiteral<Kind & string> }>
  >;
};

/** An object schema that keeps unknown keys when reading. Its field order is the order in which fields are written. */
export function model<Fields extends Shape>(extra: ExtraKeys, fields: Fields): z.ZodType<Members<Fields>> {
  return noted(z.looseObject(fields), { extra }) as never;
}

/** The models of several kinds: the fields of all, then the kind's own, then `kind`. The protocol forbids others. */
export function kindsOf<Base extends Shape, const Shapes extends Readonly<Record<string, Shape>>>(
  base: Base,
  shapes: Shapes,
): Kinds<Base, Shapes> {
  const models = Object.entries(shapes).map(([kind, fields]) => [
    kind,
    model('forbid', { ...base, ...fields, kind: z.literal(kind) }),
  ]);
  return Object.fromEntries(models) as Kinds<Base, Shapes>;
}

/** A field that may be absent, or null where the channel writes nulls (REST by id, webhooks). */
export function optional<Schema extends z.ZodType>(schema: Schema): z.ZodExactOptional<z.ZodNullable<Schema>> {
  return z.exactOptional(z.nullable(schema));
}

/**
 * A nullable text that is always written, with null as an empty text, because the reference drops a null when it writes and then
 * cannot read the event.
 */
export function neverNullText(): z.ZodExactOptional<z.ZodNullable<z.ZodString>> {
  return noted(optional(z.string()), { neverNull: true });
}

export const anyJson: z.ZodType<Json> = z.custom<Json>((value) => value !== undefined);
export const jsonObject: z.ZodType<JsonObject> = z.custom<JsonObject>(isObject);

/** A schema that is chosen by looking at the value, so that errors name the field and not "no member of the union". */
export function pickSchema<T>(choice: SchemaChoice, pick: (value: unknown) => z.ZodType): z.ZodType<T> {
  const schema = z.custom<T>().check((context) => {
    const result = pick(context.value).safeParse(context.value);
    if (result.success) return;
    for (const { path, message } of result.error.issues)
      context.issues.push({ code: 'custom', path: [...path], message, input: context.value });
  });
  return noted(schema, { choice, pick });
}

/** A schema that is chosen by the value's `kind`; values of other kinds are checked by `open`. */
export function pickByKind<T>(choice: SchemaChoice, open: z.ZodType): z.ZodType<T> {
  const byKind = new Map<unknown, z.ZodType>(Object.entries(choice.members));
  return pickSchema(choice, (value) => (isObject(value) ? byKind.get(value['kind']) : undefined) ?? open);
}

/** Returns the members that a schema chooses from by looking at the value; `undefined` for any other schema. */
export function schemaChoiceOf(schema: z.ZodType): SchemaChoice | undefined {
  return notesOn(schema).choice;
}

/** The facts about a schema that the functions above have noted. */
export function notesOn(schema: z.ZodType): Notes {
  return notes.get(schema) ?? {};
}

/** A part of a schema, which zod types as one of any edition. */
export function full(schema: z.core.$ZodType): z.ZodType {
  if (schema instanceof z.ZodType) return schema;
  throw new TypeError('a schema of an event needs parts of the full zod');
}

/** Returns a function of schemas that derives its answer once for each schema. */
export function oncePerSchema<Derived>(derive: (schema: z.ZodType) => Derived): (schema: z.ZodType) => Derived {
  const known = new WeakMap<z.ZodType, Derived>();
  return (schema) => {
    let found = known.get(schema);
    if (found === undefined) known.set(schema, (found = derive(schema)));
    return found;
  };
}

function noted<Schema extends z.ZodType>(schema: Schema, facts: Notes): Schema {
  notes.set(schema, facts);
  return schema;
}
