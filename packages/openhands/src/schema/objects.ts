import { z } from 'zod';

/**
 * An object that is handed back as it came: known members are checked, others stay, and a member that is absent stays absent.
 */
export function kept<Shape extends z.core.$ZodLooseShape>(shape: Shape): z.ZodObject<Shape, z.core.$loose> {
  return z.looseObject(shape);
}

/** What a server answers; members that are not known here stay. */
export function answer<Shape extends z.core.$ZodLooseShape>(shape: Shape): z.ZodObject<Shape, z.core.$loose> {
  return z.looseObject(shape);
}

/**
 * What a client asks: members that are not known here are ignored, and a null stands for the default where a member has one and
 * cannot be null.
 */
export function request<Shape extends z.core.$ZodLooseShape>(
  shape: Shape,
): z.ZodPreprocess<z.ZodObject<Shape, z.core.$strip>> {
  return lenient(z.object(shape));
}

/** Like {@link request}, but a member that is not known is refused. */
export function closedRequest<Shape extends z.core.$ZodLooseShape>(
  shape: Shape,
): z.ZodPreprocess<z.ZodObject<Shape, z.core.$strict>> {
  return lenient(z.strictObject(shape));
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
