import { checkOptionNames, type OptionNames } from '../settings-input/check-option-names.ts';
import { wrongSignal, wrongValue } from '../settings-input/wrong-value.ts';
import type { OpenOptions } from './conversation-store.ts';

const NAMES: OptionNames<OpenOptions> = { create: true, owner: true, signal: true };

/** Checks the options of a store's `open`. Throws `TypeError` that names the option and what is expected. */
export function checkOpenOptions(options: OpenOptions): void {
  checkOptionNames('open', options, NAMES);
  const { create = 'ifMissing', owner, signal } = options;
  if (typeof owner !== 'string')
    throw new TypeError(wrongValue('open: owner', 'a name for people, such as "worker 1"', owner));
  if (!['never', 'ifMissing', 'must'].includes(create))
    throw new TypeError(wrongValue('open: create', "'never', 'ifMissing' or 'must'", create));
  const wrong = wrongSignal('open: signal', signal);
  if (wrong !== undefined) throw new TypeError(wrong);
}
