import type { z } from 'zod';
import type { ValidationDetail } from './error-body.ts';
import { misspeltMembers } from '../../schema/index.ts';
import { misspeltDetail, type RequestPart, toValidationDetail } from './validation-detail.ts';

/** A part of a request as it was read, or the body of the 422 about its errors. */
export type ReadPart<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: ValidationDetail };

/**
 * Reads a part of a request with its schema. Never throws, whatever was sent. A member of a body or query that is unknown and
 * nearly the name of a known member is refused with that name. Other unknown members pass, because clients of other versions send
 * them.
 */
export function readPart<T>(schema: z.ZodType<T>, value: unknown, where: RequestPart): ReadPart<T> {
  try {
    const result = schema.safeParse(value);
    if (!result.success) return { ok: false, error: toValidationDetail(result.error, where, value) };
    const misspelt = where === 'body' || where === 'query' ? misspeltMembers(schema, value) : [];
    return misspelt.length === 0
      ? { ok: true, value: result.data }
      : { ok: false, error: misspeltDetail(misspelt, where) };
  } catch (error) {
    // very deep nesting overflows the stack
    if (!(error instanceof RangeError)) throw error;
    return {
      ok: false,
      error: { detail: [{ type: 'recursion_loop', loc: [where], msg: 'Input is nested too deeply' }] },
    };
  }
}
