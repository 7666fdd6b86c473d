import { parseArgs } from 'node:util';

import { BREAKAGES, isBreakage, type Breakage } from './broken/breakage.ts';

/** What the command line asks for. */
export interface Options {
  readonly rounds: number;
  readonly seed: number;
  /** Rounds that are played at the same time. */
  readonly parallel: number;
  /** Folders of rounds in which something was found stay. */
  readonly keep: boolean;
  readonly verbose: boolean;
  /** What is broken on purpose. */
  readonly breakage: Breakage | null;
}

/** The options of the command line. Throws `TypeError` that names the wrong one. */
export function parseOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    // npm hands on the `--` that it was given
    args: args.filter((arg) => arg !== '--'),
    options: {
      rounds: { type: 'string', default: '200' },
      seed: { type: 'string' },
      parallel: { type: 'string', default: '4' },
      keep: { type: 'boolean', default: false },
      verbose: { type: 'boolean', default: false },
      break: { type: 'string' },
    },
  });
  const breakage = values.break ?? null;
  if (breakage !== null && !isBreakage(breakage))
    throw new TypeError(`--break takes ${Object.keys(BREAKAGES).join(', ')}, not ${breakage}`);
  return {
    rounds: wholeNumber('rounds', values.rounds, 1),
    seed: wholeNumber('seed', values.seed ?? String(Math.floor(Math.random() * 1_000_000)), 0),
    parallel: wholeNumber('parallel', values.parallel, 1),
    keep: values.keep,
    verbose: values.verbose,
    breakage,
  };
}

function wholeNumber(name: string, text: string, least: number): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= least) return value;
  throw new TypeError(`--${name} takes a whole number of at least ${least}, not ${text}`);
}
