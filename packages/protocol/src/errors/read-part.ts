import type { z } from 'zod';
import type { ValidationDetail } from './error-body.ts';
import { type RequestPart, toValidationDetail } from './validation-detail.ts';

/** A part of a request, read; or the body of the 422 that says what is wrong with it. */
export type ReadPart<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: ValidationDetail };

/** Reads a part of a request with its schema. */
export function readPart<T>(schema: z.ZodType<T>, value: unknown, where: RequestPart): ReadPart<T> {
  const result = schema.safeParse(value);
  if (result.success) return { ok: true, value: result.data };
  return { ok: false, error: toValidationDetail(result.error, where, value) };
}
