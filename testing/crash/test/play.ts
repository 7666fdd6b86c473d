import { fileURLToPath } from 'node:url';

import { playProgram, type Played, type StoreKind } from '@conv/testing-harness';

import type { Counter } from '../src/report.ts';

const PROGRAM = fileURLToPath(new URL('../dist/main.js', import.meta.url));

/** Result of a run of the harness. */
export type Result = Readonly<Record<Counter | 'rounds' | 'acknowledged' | 'takeovers' | 'fenced', number>> & {
  readonly store: StoreKind;
  readonly twoWriters?: boolean;
};

/** Runs the built program as `npm run crash` does. */
export function play(...args: readonly string[]): Promise<Played<Result>> {
  return playProgram(PROGRAM, args);
}
