import { checks, checkOptionNames, type OptionNames } from '@conv/core';

/** Options of closing a conversation. */
export interface CloseOptions {
  /**
   * Treatment of the active run. `interrupt`: it ends as interrupted. `leave`: it is handed over to the process that opens the
   * conversation next. Default `interrupt`.
   */
  readonly runs?: 'interrupt' | 'leave';
  /** Milliseconds that the current step of a handed-over run may take. Default 0. */
  readonly grace?: number;
  /**
   * Called when the work and the tools have ended, while this process still owns the conversation. The ownership is given up when it settles;
   * `close` rejects as it does. Default: nothing is done.
   */
  readonly beforeLeaving?: () => Promise<void>;
}

/** Options of closing with their defaults. */
export type CheckedClosing = Required<Omit<CloseOptions, 'beforeLeaving'>> & Pick<CloseOptions, 'beforeLeaving'>;

const NAMES: OptionNames<CloseOptions> = { runs: true, grace: true, beforeLeaving: true };

/** Returns the options with their defaults. Throws `INVALID_INPUT`. */
export function checkClosing(options: CloseOptions): CheckedClosing {
  checkOptionNames('close', options, NAMES, checks.invalid);
  const { runs = 'interrupt', grace = 0, beforeLeaving } = options;
  if (runs !== 'interrupt' && runs !== 'leave') throw checks.invalid("close: runs: expected 'interrupt' or 'leave'");
  if (typeof grace !== 'number' || !(grace >= 0))
    throw checks.invalid('close: grace: expected a number of milliseconds, from 0');
  if (beforeLeaving !== undefined && typeof beforeLeaving !== 'function')
    throw checks.invalid(checks.wrongValue('close: beforeLeaving', 'a function', beforeLeaving));
  return { runs, grace, ...(beforeLeaving && { beforeLeaving }) };
}
