import { CodedError, markErrors } from '../platform/coded-error.ts';
import type { z } from 'zod';

/** Thrown for a value that is not a valid event. The message names the first wrong field. */
export class EventError extends CodedError<'INVALID_EVENT'> {
  /** The keys that lead to the wrong value; empty when the value as a whole is wrong. */
  readonly path: readonly (string | number)[];

  constructor(text: string, options: { readonly path?: readonly (string | number)[]; readonly cause?: unknown } = {}) {
    super('INVALID_EVENT', text, 'cause' in options ? { cause: options.cause } : {});
    this.name = 'EventError';
    this.path = options.path ?? [];
  }
}

/** True if `value` is an {@link EventError} with this code, or with any code by default. Errors of another copy of this package count. */
export const isEventError: (value: unknown, code?: 'INVALID_EVENT') => value is EventError = markErrors(
  EventError,
  'conv.event.error',
);

/** Turns a failed validation into an {@link EventError} with the zod error as its cause. */
export function fromZodError(subject: string, error: z.ZodError): EventError {
  const issue = error.issues[0];
  const path = (issue?.path ?? []).map((key) => (typeof key === 'number' ? key : String(key)));
  const where = path.length === 0 ? subject : `${subject}: ${path.join('.')}`;
  return new EventError(`${where}: ${issue?.message ?? 'invalid'}`, { path, cause: error });
}
