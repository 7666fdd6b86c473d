import type { z } from 'zod';

import { readPart } from '../../src/rest/index.ts';

/** The id of a conversation. */
export const ID = '3f2b8c1e-7d5a-4a63-9b0e-1c2d3e4f5a6b';

/** Returns the value as a route reads it. */
export function read<T>(schema: z.ZodType<T> | undefined, value: unknown): T {
  if (schema === undefined) throw new Error('the route reads nothing there');
  return schema.parse(value);
}

/** Returns the paths of the problems in a body. */
export function refused(schema: z.ZodType | undefined, value: unknown): readonly (readonly (string | number)[])[] {
  if (schema === undefined) throw new Error('the route reads nothing there');
  const part = readPart(schema, value, 'body');
  return part.ok ? [] : part.error.detail.map(({ loc }) => loc.slice(1));
}
