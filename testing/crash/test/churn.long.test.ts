import { fileURLToPath } from 'node:url';

import { isCi, playProgram } from '@conv/testing-harness';
import { expect, test } from 'vitest';

import type { ChurnResult } from '../src/churn.ts';
import { parseChurnOptions } from '../src/churn/options.ts';

const PROGRAM = fileURLToPath(new URL('../dist/churn-main.js', import.meta.url));

const stores = ['memory', 'fs', 'sqlite', 'postgres', 's3'];

/** The tests of each adapter count what it holds, so CI churns the store with threads. */
test.each(isCi ? ['sqlite'] : stores)(
  'P13: a process with 80 descriptors opens, forks and deletes conversations on %s and holds no more',
  async (store) => {
    const args = ['--store', store, '--rounds', '30', '--descriptors', '80'];
    const { exitCode, result, errors } = await playProgram<ChurnResult>(PROGRAM, args);
    expect({ exitCode, errors, ...result }).toMatchObject({ exitCode: 0, errors: '', store, rounds: 30, failed: 0 });
  },
);

test('ten thousand rounds on each store are played with 256 descriptors unless told otherwise', () => {
  expect(parseChurnOptions(['--'])).toEqual({ rounds: 10_000, descriptors: 256, help: false, stores });
  expect(() => parseChurnOptions(['--store', 'tape'])).toThrow(
    '--store takes memory, fs, sqlite, postgres, s3, not tape',
  );
});
