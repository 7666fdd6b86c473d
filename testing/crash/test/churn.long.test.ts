import { fileURLToPath } from 'node:url';

import { playProgram } from '@conv/testing-harness';
import { expect, test } from 'vitest';

import type { ChurnResult } from '../src/churn.ts';
import { parseChurnOptions } from '../src/churn/options.ts';

const PROGRAM = fileURLToPath(new URL('../dist/churn-main.js', import.meta.url));

test.each(['memory', 'fs', 'sqlite', 'postgres', 's3'])(
  'P13: a process with 80 descriptors opens, forks and deletes conversations on %s and holds no more',
  async (store) => {
    const args = ['--store', store, '--rounds', '30', '--descriptors', '80'];
    const { exitCode, result, errors } = await playProgram<ChurnResult>(PROGRAM, args);
    expect({ exitCode, errors, ...result }).toMatchObject({ exitCode: 0, errors: '', store, rounds: 30, failed: 0 });
  },
);

test('ten thousand rounds on each store are played with 256 descriptors unless told otherwise', () => {
  const stores = ['memory', 'fs', 'sqlite', 'postgres', 's3'];
  expect(parseChurnOptions(['--'])).toEqual({ rounds: 10_000, descriptors: 256, help: false, stores });
  expect(() => parseChurnOptions(['--store', 'tape'])).toThrow(
    '--store takes memory, fs, sqlite, postgres, s3, not tape',
  );
});
