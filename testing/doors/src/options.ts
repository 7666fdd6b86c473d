import { commandLine, firstInCi, seedOf, wholeNumber } from '@conv/testing-harness';

import { RUNS } from './story/story.ts';

/** Options of the command line. */
export interface Options {
  /** Stories whose every boundary is cut, for each door. */
  readonly rounds: number;
  /** The distance of two boundaries that are cut. */
  readonly every: number;
  /** Servers that are killed, in all doors together. */
  readonly kills: number;
  /** The door to play alone, by its name; `undefined` for all. */
  readonly door: string | undefined;
  readonly seed: number;
  /** Milliseconds after which a client that does not show the log misses something. */
  readonly timeout: number;
  /** True to print lines of JSON alone. */
  readonly json: boolean;
  readonly help: boolean;
}

/** Text of `--help`. */
export const USAGE: string = `Cuts clients of every protocol off at each frame of a run, kills their servers, lets them come back, also through
another protocol and at another server, and compares what they show at rest with the log. Prints a line of JSON for each
protocol; exits with 1 when something differs.

  npm run doors -- [--rounds N] [--json]

  --rounds N      runs whose every frame is a boundary to cut at, for each protocol; default 11
  --every N       cut at each Nth boundary alone; default 1. CI begins at another one each day
  --kills N       servers that are killed; default 20
  --door NAME     one protocol alone
  --seed S        the first run; default 0, and in CI another one each day
  --timeout MS    how long a client may take to show the log, default 20000
  --json          no lines for people
`;

/** Returns the options of the command line. Throws `TypeError` that names the wrong one. */
export function parseOptions(args: readonly string[]): Options {
  const values = commandLine(args, {
    rounds: { type: 'string', default: String(RUNS) },
    every: { type: 'string', default: '1' },
    kills: { type: 'string', default: '20' },
    door: { type: 'string' },
    seed: { type: 'string', default: String(firstInCi(RUNS)) },
    timeout: { type: 'string', default: '20000' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  });
  return {
    rounds: wholeNumber('rounds', values.rounds, 0),
    every: wholeNumber('every', values.every, 1),
    kills: wholeNumber('kills', values.kills, 0),
    door: values.door,
    seed: seedOf(values.seed),
    timeout: wholeNumber('timeout', values.timeout, 1),
    json: values.json,
    help: values.help,
  };
}
