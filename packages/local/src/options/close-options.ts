import { checkOptionNames, type OptionNames } from '@conv/core';

import { invalid } from './check-settings.ts';

/** What becomes of a run when its conversation is closed. */
export interface CloseOptions {
  /** `interrupt`: it ends as interrupted. `leave`: it is handed over to whoever opens the conversation next. Default `interrupt`. */
  readonly runs?: 'interrupt' | 'leave';
  /** Milliseconds that a run which is handed over has for the step that is on. Default 0. */
  readonly grace?: number;
}

const NAMES: OptionNames<CloseOptions> = { runs: true, grace: true };

/** The options, with their defaults. Throws `INVALID_INPUT`. */
export function checkClosing(options: CloseOptions): Required<CloseOptions> {
  checkOptionNames('close', options, NAMES, invalid);
  const { runs = 'interrupt', grace = 0 } = options;
  if (runs !== 'interrupt' && runs !== 'leave') throw invalid("runs must be 'interrupt' or 'leave'");
  if (typeof grace !== 'number' || !(grace >= 0)) throw invalid('grace must be a number of milliseconds, from 0');
  return { runs, grace };
}
