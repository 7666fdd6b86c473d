import { checkOptionNames, checks, type OptionNames } from '@conv/core';
import type { HooksOptions } from './hooks-config.ts';
import { HooksError } from './hooks-error.ts';

const NAMES: OptionNames<HooksOptions> = {
  functions: true,
  environment: true,
  onError: true,
  sandbox: true,
  platform: true,
};

/**
 * Checks the names in options, and the sandbox, without which a command would run unconfined. Throws {@link HooksError}
 * `INVALID_CONFIG`.
 */
export function checkHooksOptions(place: string, options: HooksOptions): void {
  checkOptionNames(place, options, NAMES, (message) => new HooksError('INVALID_CONFIG', message));
  const { sandbox } = options;
  if (sandbox !== undefined && typeof sandbox?.open !== 'function')
    throw new HooksError(
      'INVALID_CONFIG',
      checks.wrongValue(`${place}: sandbox`, 'a sandbox such as sandbox() of @conv/sandbox', sandbox),
    );
}
