import { wholeNumber, commandLine, seedOf, breakageOf } from '@conv/testing-harness';

import { BREAKAGES, type Breakage } from './broken/breakage.ts';

/** Options of the command line. */
export interface Options {
  readonly rounds: number;
  /** True to hide the server's capabilities beyond the protocol: clients have the events socket and no idempotency keys. */
  readonly legacy: boolean;
  readonly help: boolean;
  readonly seed: number;
  /** Rounds that are played at the same time, each sort of them on a server of its own. */
  readonly parallel: number;
  /** Milliseconds of calm weather after which absent events count as missing and active runs as stuck. */
  readonly timeout: number;
  readonly verbose: boolean;
  /** The deliberate defect. */
  readonly breakage: Breakage | null;
}

/** Text of `--help`. */
export const USAGE: string = `Puts a faulty network between clients and an agent server, kills the server, and compares what the clients
were told with its log. Prints one line of JSON; exits with 1 when something was found.

  npm run chaos -- [--rounds N] [--legacy]

  --rounds N      default 200
  --legacy        the server hides what it can do beyond OpenHands' protocol
  --seed S        plays the rounds of an earlier run again
  --parallel N    rounds at the same time, default 4
  --timeout MS   how long to wait in calm weather for what is missing, default 60000
  --verbose       a line for each round, and what was refused in it
  --break NAME    breaks something on purpose: ${Object.keys(BREAKAGES).join(', ')}
`;

/** Returns the options of the command line. Throws `TypeError` that names the wrong one. */
export function parseOptions(args: readonly string[]): Options {
  const values = commandLine(args, {
    rounds: { type: 'string', default: '200' },
    legacy: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
    seed: { type: 'string' },
    parallel: { type: 'string', default: '4' },
    timeout: { type: 'string', default: '60000' },
    verbose: { type: 'boolean', default: false },
    break: { type: 'string' },
  });
  return {
    legacy: values.legacy,
    help: values.help,
    verbose: values.verbose,
    rounds: wholeNumber('rounds', values.rounds, 1),
    seed: seedOf(values.seed),
    parallel: wholeNumber('parallel', values.parallel, 1),
    timeout: wholeNumber('timeout', values.timeout, 1),
    breakage: breakageOf(values.break, BREAKAGES),
  };
}
