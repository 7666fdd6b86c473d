import { wholeNumber, commandLine, seedOf } from '@conv/testing-harness';

import { TARGETS } from './targets.ts';

/** Options of the command line. */
export interface DamageOptions {
  readonly flips: number;
  readonly pairs: number;
  readonly store: keyof typeof TARGETS;
  readonly seed: number;
  /** The number of the only case to run, as printed with its findings. */
  readonly only: number | undefined;
  readonly help: boolean;
}

/** Text of `--help`. */
export const DAMAGE_USAGE: string = `Flips bits in stored conversations and cuts what holds them, one harm at a time and in pairs, and compares what opens with what
was acknowledged. Prints one line of JSON and exits with 1 when something was found.

  npm run damage -- [--flips N] [--pairs N] [--store KIND] [--seed S] [--only N]

  --flips N     cases with one harm, default 2000
  --pairs N     cases with two, default a tenth of that
  --store KIND  ${Object.keys(TARGETS).join(', ')}; default fs
  --seed S      draws the cases of an earlier run again
  --only N      looks at one case of them alone, by the number that is printed with what was found
`;

/** The options of the command line. Throws `TypeError` that names the wrong one. */
export function parseDamageOptions(args: readonly string[]): DamageOptions {
  const values = commandLine(args, {
    flips: { type: 'string', default: '2000' },
    pairs: { type: 'string' },
    store: { type: 'string', default: 'fs' },
    seed: { type: 'string' },
    only: { type: 'string' },
    help: { type: 'boolean', default: false },
  });
  const { store } = values;
  if (!isTarget(store)) throw new TypeError(`--store takes ${Object.keys(TARGETS).join(', ')}, not ${store}`);
  const flips = wholeNumber('flips', values.flips, 0);
  return {
    flips,
    pairs: wholeNumber('pairs', values.pairs ?? String(Math.floor(flips / 10)), 0),
    store,
    seed: seedOf(values.seed),
    only: values.only === undefined ? undefined : wholeNumber('only', values.only, 0),
    help: values.help,
  };
}

function isTarget(name: string): name is keyof typeof TARGETS {
  return Object.hasOwn(TARGETS, name);
}
