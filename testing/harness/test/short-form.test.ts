import { afterEach, expect, test, vi } from 'vitest';

import type * as ShortForm from '../src/short-form.ts';

afterEach(() => {
  vi.unstubAllEnvs();
  // the other files of this process get the module of this run
  vi.resetModules();
});

/** Resolves with the module as a run with this value of `CONV_CI` has it. */
async function withTurn(value: string | undefined): Promise<typeof ShortForm> {
  vi.stubEnv('CONV_CI', value);
  vi.resetModules();
  return (await import('../src/short-form.ts')) as typeof ShortForm;
}

test.each([1, 2, 3, 7, 10])('CI tries each of %i rows on some day, and a row on each day', async (count) => {
  const rows = Array.from({ length: count }, (_, at) => at);
  const days: (readonly number[])[] = [];
  for (const turn of ['20786', '20789', '20792']) days.push((await withTurn(turn)).inCi(rows, 3));
  expect([...new Set(days.flat())].toSorted((a, b) => a - b)).toEqual(rows);
  for (const day of days) {
    expect(day.length).toBeGreaterThan(0);
    expect(day.length).toBeLessThanOrEqual(Math.ceil(count / 3));
  }
});

test('a file that CI plays every third day has other rows each time, whichever day it is', async () => {
  for (const first of [20786, 20787, 20788]) {
    const rows: string[] = [];
    for (const turn of [first, first + 3]) rows.push(...(await withTurn(String(turn))).inCi(['a', 'b'], 2));
    expect(rows.toSorted()).toEqual(['a', 'b']);
  }
});

test('every row is tried without CONV_CI, and every step is one', async () => {
  const { firstInCi, inCi, isCi, stepsInCi } = await withTurn(undefined);
  expect([inCi(['a', 'b', 'c'], 3), isCi, stepsInCi(7)]).toEqual([['a', 'b', 'c'], false, { first: 0, step: 1 }]);
  expect(firstInCi(7)).toBe(0);
});

test('the same turn begins a count at the same number', async () => {
  const { firstInCi, isCi, stepsInCi } = await withTurn('62358');
  expect([firstInCi(7), firstInCi(10)]).toEqual([3, 6]);
  expect([isCi, stepsInCi(7), stepsInCi(10)]).toEqual([true, { first: 3, step: 7 }, { first: 6, step: 10 }]);
});

test.each(['', 'true', '-1', '1.5'])('CONV_CI is refused with the value %j', async (value) => {
  await expect(withTurn(value)).rejects.toThrow('expected a number of at least 0 in CONV_CI');
});
