import { STORE_KINDS, type StoreKind, wholeNumber, commandLine } from '@conv/testing-harness';

/** The stores that can be churned: those of rounds, and the one in memory. */
export type ChurnKind = StoreKind | 'memory';

const KINDS: readonly ChurnKind[] = ['memory', ...STORE_KINDS];

/** Options of the command line. */
export interface ChurnOptions {
  readonly rounds: number;
  readonly stores: readonly ChurnKind[];
  readonly descriptors: number;
  readonly help: boolean;
}

/** Text of `--help`. */
export const CHURN_USAGE: string = `Makes, opens, reads, forks and deletes conversations again and again in a process that may have few descriptors, and counts
what it holds. One line of JSON for each store; exits with 1 when an operation failed or more was held at the end.

  npm run churn -- [--rounds N] [--store KIND] [--descriptors N]

  --rounds N       rounds on each store, default 10000
  --store KIND     ${KINDS.join(', ')}; default all, one after the other
  --descriptors N  how many the process may have, default 256
`;

/** The options of the command line. Throws `TypeError` that names the wrong one. */
export function parseChurnOptions(args: readonly string[]): ChurnOptions {
  const values = commandLine(args, {
    rounds: { type: 'string', default: '10000' },
    store: { type: 'string' },
    descriptors: { type: 'string', default: '256' },
    help: { type: 'boolean', default: false },
  });
  const kind = KINDS.find((name) => name === values.store);
  if (values.store !== undefined && kind === undefined)
    throw new TypeError(`--store takes ${KINDS.join(', ')}, not ${values.store}`);
  return {
    rounds: wholeNumber('rounds', values.rounds, 1),
    stores: kind === undefined ? KINDS : [kind],
    descriptors: wholeNumber('descriptors', values.descriptors, 64),
    help: values.help,
  };
}
