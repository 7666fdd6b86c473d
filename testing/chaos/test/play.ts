import { fileURLToPath } from 'node:url';

import { playProgram, type Played } from '@conv/testing-harness';

import type { Counter } from '../src/counters.ts';

const PROGRAM = fileURLToPath(new URL('../dist/main.js', import.meta.url));

/** Runs the built program as `npm run chaos` does. */
export function play(
  ...args: readonly string[]
): Promise<Played<Readonly<Record<Counter | 'rounds' | 'events', number>>>> {
  return playProgram(PROGRAM, args);
}
