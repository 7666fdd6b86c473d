import { z } from 'zod';

import type { Json } from '../json.ts';
import { describeIssues } from './describe-issues.ts';
import { ToolError } from './tool-error.ts';

/** The input that the schema makes of arguments. Throws {@link ToolError} `INVALID_INPUT` that names what is wrong. */
export function parseInput(name: string, schema: z.ZodObject, input: unknown): Json {
  const given = withoutEmptyOptions(schema, input);
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data as Json;
  // zod's own messages may quote values, and values may be secrets
  const wrong = describeIssues(given, parsed.error.issues);
  throw new ToolError('INVALID_INPUT', `Invalid arguments for tool '${name}': ${wrong}`, { cause: parsed.error });
}

// models write null for what they leave out
function withoutEmptyOptions(schema: z.ZodObject, input: unknown): unknown {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return input;
  return Object.fromEntries(
    Object.entries(input).filter(([key, value]) => {
      const member = Object.hasOwn(schema.shape, key) ? schema.shape[key] : undefined;
      return !(value === null && member && acceptsAbsent(member));
    }),
  );
}

function acceptsAbsent(member: z.core.$ZodType): boolean {
  return z.core.safeParse(member, undefined).success && !z.core.safeParse(member, null).success;
}
