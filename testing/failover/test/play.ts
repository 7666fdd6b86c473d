import { fileURLToPath } from 'node:url';

import { playProgram, type Played } from '@conv/testing-harness';

import type { Counter } from '../src/counters.ts';
import type { HandKind } from '../src/fleet/hands.ts';
import type { TakeoverTimes } from '../src/result-line.ts';

/** The result line of a run. */
export type Result = Readonly<Record<Counter | 'kills' | 'zombies' | 'takeovers' | 'events', number>> & {
  readonly handKills?: Readonly<Record<HandKind, number>>;
  readonly takeoverMs: TakeoverTimes | null;
};

const PROGRAM = fileURLToPath(new URL('../dist/main.js', import.meta.url));

/** On files, which need no server of their own. */
const SMALL = ['--store', 'fs', '--conversations', '3', '--thinking', '400', '--takeover-seconds', '2'] as const;

/** Seconds, for a machine that is busy. */
export const TIMEOUT: readonly string[] = ['--timeout', '300'];

/** Runs the built program as `npm run failover` does, in small. */
export function play(...args: readonly string[]): Promise<Played<Result>> {
  return playProgram(PROGRAM, [...SMALL, ...args]);
}

/** The counters of a run in which nothing went wrong. */
export const NOTHING: Partial<Result> = {
  missing: 0,
  duplicated: 0,
  misordered: 0,
  executedTwice: 0,
  contradicted: 0,
  unfinished: 0,
  leftBehind: 0,
};
