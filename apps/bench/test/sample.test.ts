import { expect, test } from 'vitest';

import { isLong, isTight, repeat, sample } from '../src/peers/sample.ts';

/** Resolves with the number of repetitions, each of which takes so many milliseconds, within a budget of 100. */
async function repetitionsOf(milliseconds: number, most = 9): Promise<number> {
  let clock = 0;
  let done = 0;
  await repeat({ most, budget: 100, now: () => clock }, async () => {
    clock += milliseconds;
    done += 1;
    return true;
  });
  return done;
}

test('repetitions end with the highest number, or with the budget', async () => {
  expect(await repetitionsOf(1)).toBe(9);
  expect(await repetitionsOf(20)).toBe(5);
});

test('a sample has three repetitions unless they take three times the budget, and always one', async () => {
  expect(await repetitionsOf(99)).toBe(3);
  expect(await repetitionsOf(150)).toBe(2);
  expect(await repetitionsOf(5000)).toBe(1);
  expect(await repetitionsOf(1, 1)).toBe(1);
});

test('a repetition ends when one says that it is enough', async () => {
  let done = 0;
  await repeat({ most: 9, budget: 60_000 }, async () => ++done < 2);
  expect(done).toBe(2);
});

test('samples are all values, in their order', async () => {
  let at = 0;
  expect(await sample(3, 60_000, async () => at++)).toEqual([0, 1, 2]);
});

test('three values that hardly differ are enough, two are not', () => {
  expect(isTight([100, 101])).toBe(false);
  expect(isTight([100, 101, 109])).toBe(true);
  expect(isTight([100, 101, 112])).toBe(false);
});

test('a call that takes three times the budget stands for itself', () => {
  expect(isLong(31, 10)).toBe(true);
  expect(isLong(30, 10)).toBe(false);
});
