import { CodedError, markErrors } from '@conv/core';

/**
 * Codes of the errors of hooks before they run.
 *
 * | code | when |
 * | --- | --- |
 * | `INVALID_CONFIG` | the configuration is invalid; the message names the member, and the file if there is one |
 * | `UNREADABLE` | the file exists and cannot be read, or is not JSON; see `cause` |
 */
export type HooksErrorCode = 'INVALID_CONFIG' | 'UNREADABLE';

/** Thrown for hooks that cannot be set up; none of them has run. */
export class HooksError extends CodedError<HooksErrorCode> {
  /** The member of the configuration that is wrong, such as `pre_tool_use[0].matcher`. */
  readonly place: string | undefined;

  constructor(code: HooksErrorCode, text: string, options: ErrorOptions & { readonly place?: string } = {}) {
    const { place, ...rest } = options;
    super(code, text, rest);
    this.name = 'HooksError';
    this.place = place;
  }
}

/** True if `value` is a {@link HooksError} with this code, or with any code by default. Errors of another copy of this package count. */
export const isHooksError: (value: unknown, code?: HooksErrorCode) => value is HooksError = markErrors(
  HooksError,
  'conv.hooks.error',
);
