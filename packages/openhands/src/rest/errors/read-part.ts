import type { z } from 'zod';
import type { ValidationDetail } from './error-body.ts';
import { type RequestPart, toValidationDetail } from './validation-detail.ts';

/** A part of a request, read; or the body of the 422 that says what is wrong with it. */
export type ReadPart<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: ValidationDetail };

/** Reads a part of a request with its schema; whatever was sent, it is read or refused. */
export function readPart<T>(schema: z.ZodType<T>, value: unknown, where: RequestPart): ReadPart<T> {
  try {
    const result = schema.safeParse(value);
    if (result.success) return { ok: true, value: result.data };
    return { ok: false, error: toValidationDetail(result.error, where, value) };
  } catch (error) {
    // what is nested without end leaves no room on the stack
    if (!(error instanceof RangeError)) throw error;
    return {
      ok: false,
      error: { detail: [{ type: 'recursion_loop', loc: [where], msg: 'Input is nested too deeply' }] },
    };
  }
}
