import { z } from 'zod';
import { documented } from './named.ts';

/** A member of an object that is returned unchanged: an absent member stays absent, although its default is `meaning`. */
export function absent<Schema extends z.ZodType>(schema: Schema, meaning?: unknown): z.ZodExactOptional<Schema> {
  const member = z.exactOptional(schema);
  return meaning === undefined ? member : documented(member, { default: meaning });
}

/** A member of an object that another program may have stored: a value of another type counts as absent. */
export function orAbsent<Schema extends z.ZodType>(schema: Schema): z.ZodCatch<z.ZodOptional<Schema>> {
  return schema.optional().catch(undefined);
}
