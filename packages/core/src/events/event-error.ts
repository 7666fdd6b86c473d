import { CodedError } from '../platform/coded-error.ts';
import type { z } from 'zod';

const BRAND = Symbol.for('conv.event.error');

/** Options of an {@link EventError}. */
export interface EventErrorOptions {
  /** The keys that lead to the wrong value; empty when the value as a whole is wrong. */
  readonly path?: readonly (string | number)[];
  readonly cause?: unknown;
}

/** A value is no event. The message names the first thing that is wrong and where. */
export class EventError extends CodedError<'INVALID_EVENT'> {
  /** The keys that lead to the wrong value; empty when the value as a whole is wrong. */
  readonly path: readonly (string | number)[];

  constructor(text: string, options: EventErrorOptions = {}) {
    super('INVALID_EVENT', text, 'cause' in options ? { cause: options.cause } : {});
    this.name = 'EventError';
    this.path = options.path ?? [];
    Object.defineProperty(this, BRAND, { value: true });
  }
}

/** True if a value is an {@link EventError}. Errors of another copy of the package count. */
export function isEventError(value: unknown): value is EventError {
  return typeof value === 'object' && value !== null && Reflect.get(value, BRAND) === true;
}

/** Turns a failed validation into an {@link EventError} with the zod error as its cause. */
export function fromZodError(subject: string, error: z.ZodError): EventError {
  const issue = error.issues[0];
  const path = (issue?.path ?? []).map((key) => (typeof key === 'number' ? key : String(key)));
  const where = path.length === 0 ? subject : `${subject}: ${path.join('.')}`;
  return new EventError(`${where}: ${issue?.message ?? 'invalid'}`, { path, cause: error });
}
