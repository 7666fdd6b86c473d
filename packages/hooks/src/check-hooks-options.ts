import { checkOptionNames, type OptionNames } from '@conv/core';
import type { HooksOptions } from './hooks-config.ts';
import { HooksError } from './hooks-error.ts';

const NAMES: OptionNames<HooksOptions> = { functions: true, environment: true, onError: true, platform: true };

/** Checks the names in options. Throws {@link HooksError} `INVALID_CONFIG` with the nearest known name. */
export function checkHooksOptions(place: string, options: HooksOptions): void {
  checkOptionNames(place, options, NAMES, (message) => new HooksError('INVALID_CONFIG', message));
}
