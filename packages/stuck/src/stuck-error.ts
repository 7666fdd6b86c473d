import { CodedError, markErrors } from '@conv/core';

/**
 * Codes of the errors of a stuck detector.
 *
 * | code | when |
 * | --- | --- |
 * | `INVALID_OPTION` | an option is unknown or out of its range; the message names it |
 */
export type StuckErrorCode = 'INVALID_OPTION';

/** Thrown when a detector cannot be made. */
export class StuckError extends CodedError<StuckErrorCode> {
  constructor(code: StuckErrorCode, text: string, options?: ErrorOptions) {
    super(code, text, options);
    this.name = 'StuckError';
  }
}

/** True if `value` is a {@link StuckError} with this code, or with any code by default. Errors of another copy of this package count. */
export const isStuckError: (value: unknown, code?: StuckErrorCode) => value is StuckError = markErrors(
  StuckError,
  'conv.stuck.error',
);
