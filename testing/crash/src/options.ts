import {
  isStoreKind,
  STORE_KINDS,
  type StoreKind,
  wholeNumber,
  commandLine,
  seedOf,
  breakageOf,
} from '@conv/testing-harness';

import { BREAKAGES, type Breakage } from './broken/breakage.ts';

/** Options of the command line. */
export interface Options {
  /** The number of rounds on each store. */
  readonly rounds: number;
  /** The stores of the rounds, one after the other. */
  readonly stores: readonly StoreKind[];
  /** True if each round is two processes that take the conversation from each other, and nothing else. */
  readonly twoWriters: boolean;
  readonly help: boolean;
  readonly seed: number;
  /** Rounds that are played at the same time. */
  readonly parallel: number;
  /** Folders of rounds in which something was found stay. */
  readonly keep: boolean;
  readonly verbose: boolean;
  /** The deliberate defect. */
  readonly breakage: Breakage | null;
}

/** Text of `--help`. */
export const USAGE: string = `Kills, stops and revives processes that work in a conversation, and compares what they were acknowledged
with what is there. One line of JSON for each store; exits with 1 when something was found.

  npm run crash -- [--rounds N] [--store KIND | --all-stores] [--two-writers]

  --rounds N      rounds on each store, default 200
  --store KIND    ${STORE_KINDS.join(', ')}; default fs
  --all-stores    every kind, one after the other
  --two-writers   each round is two processes that take a conversation from each other while they append to it
  --seed S        plays the rounds of an earlier run again
  --parallel N    rounds at the same time, default 4
  --keep          folders of rounds in which something was found stay
  --verbose       a line for each round
  --break NAME    breaks something on purpose: ${Object.keys(BREAKAGES).join(', ')}
`;

/** Returns the options of the command line. Throws `TypeError` that names the wrong one. */
export function parseOptions(args: readonly string[]): Options {
  const values = commandLine(args, {
    rounds: { type: 'string', default: '200' },
    store: { type: 'string' },
    'all-stores': { type: 'boolean', default: false },
    'two-writers': { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
    seed: { type: 'string' },
    parallel: { type: 'string', default: '4' },
    keep: { type: 'boolean', default: false },
    verbose: { type: 'boolean', default: false },
    break: { type: 'string' },
  });
  return {
    stores: storesOf(values.store, values['all-stores']),
    twoWriters: values['two-writers'],
    help: values.help,
    rounds: wholeNumber('rounds', values.rounds, 1),
    seed: seedOf(values.seed),
    parallel: wholeNumber('parallel', values.parallel, 1),
    keep: values.keep,
    verbose: values.verbose,
    breakage: breakageOf(values.break, BREAKAGES),
  };
}

function storesOf(store: string | undefined, all: boolean): readonly StoreKind[] {
  if (all && store !== undefined) throw new TypeError('--store and --all-stores exclude each other; leave one out');
  if (all) return STORE_KINDS;
  if (store === undefined || isStoreKind(store)) return [store ?? 'fs'];
  throw new TypeError(`--store takes ${STORE_KINDS.join(', ')}, not ${store}`);
}
