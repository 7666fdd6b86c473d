import type { JsonObject } from '@conv/core/events';
import { z } from 'zod';
import { named } from './named.ts';

type Listed<Value> = Value extends readonly (infer Item)[] ? readonly Item[] : Value;

type OutputOf<Shape extends z.core.$ZodLooseShape> = z.output<z.ZodObject<Shape, z.core.$strip>>;

/** Output types of the members of a shape, readonly. */
type Members<Shape extends z.core.$ZodLooseShape> = {
  readonly [Name in keyof OutputOf<Shape>]: Listed<OutputOf<Shape>[Name]>;
} & {};

/** Makes the schema of an object that is returned unchanged: known members are checked, absent members stay absent. */
export function kept<Shape extends z.core.$ZodLooseShape>(shape: Shape): z.ZodType<Members<Shape>> {
  return z.looseObject(shape) as unknown as z.ZodType<Members<Shape>>;
}

/** As {@link kept}, as a component of the OpenAPI document: an answer, or a description that is read here. */
export function keptAs<Shape extends z.core.$ZodLooseShape>(id: string, shape: Shape): z.ZodType<Members<Shape>> {
  return named(id, kept(shape));
}

/** As {@link keptAs}, for an object that is checked here and passed on to other programs: its type is JSON. */
export function described(id: string, shape: z.core.$ZodLooseShape): z.ZodType<JsonObject> {
  return named(id, z.looseObject(shape)) as unknown as z.ZodType<JsonObject>;
}

/** Makes the schema of a request: unknown members are ignored, and a null stands for a default that is not null. */
export function request<Shape extends z.core.$ZodLooseShape>(shape: Shape): z.ZodType<Members<Shape>> {
  return lenient(z.object(shape)) as unknown as z.ZodType<Members<Shape>>;
}

/** As {@link request}, as a component of the OpenAPI document. */
export function requestAs<Shape extends z.core.$ZodLooseShape>(id: string, shape: Shape): z.ZodType<Members<Shape>> {
  return named(id, request(shape));
}

/** As {@link requestAs}, for data that is stored: unknown members stay. */
export function openRequestAs<Shape extends z.core.$ZodLooseShape>(
  id: string,
  shape: Shape,
): z.ZodType<Members<Shape>> {
  return named(id, lenient(z.looseObject(shape)) as unknown as z.ZodType<Members<Shape>>);
}

/** Like {@link request}, but refuses unknown members. */
export function closedRequest<Shape extends z.core.$ZodLooseShape>(shape: Shape): z.ZodType<Members<Shape>> {
  return lenient(z.strictObject(shape)) as unknown as z.ZodType<Members<Shape>>;
}

/** A body that may be left out; `none` is read then. */
export function bodyOr<T>(none: unknown, schema: z.ZodType<T>): z.ZodType<T> {
  return z.preprocess((body) => body ?? none, schema);
}

/** A member that can be null, and is when it is absent. */
export function orNull<Schema extends z.ZodType>(schema: Schema): z.ZodDefault<z.ZodNullable<Schema>> {
  return z.nullable(schema).default(null);
}

function lenient<Schema extends z.ZodObject>(schema: Schema): z.ZodPreprocess<Schema> {
  const refuseNull = new Set<string>();
  for (const [name, member] of Object.entries(schema.shape)) {
    if (member._zod.optin !== undefined && !z.safeParse(member, null).success) refuseNull.add(name);
  }
  return z.preprocess((value) => withoutNulls(value, refuseNull), schema);
}

function withoutNulls(value: unknown, names: ReadonlySet<string>): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([name, member]) => member !== null || !names.has(name)));
}
