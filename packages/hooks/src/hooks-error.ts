import { CodedError } from '@conv/core';

const brand: symbol = Symbol.for('conv.hooks.error');

/**
 * Codes of the errors of hooks before they run.
 *
 * | code | when |
 * | --- | --- |
 * | `INVALID_CONFIG` | the configuration says something that no hook can mean; the message names the member, and the file if there is one |
 * | `UNREADABLE` | the file is there and cannot be read, or is no JSON; `cause` says why |
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
    Object.defineProperty(this, brand, { value: true });
  }
}

/** True if `value` is a {@link HooksError}, also of another copy of this package, with this code or with any. */
export function isHooksError(value: unknown, code?: HooksErrorCode): value is HooksError {
  if (!(value instanceof Error) || !(brand in value)) return false;
  return code === undefined || (value as HooksError).code === code;
}
