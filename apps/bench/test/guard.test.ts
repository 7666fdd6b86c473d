import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

import type { Figure } from '../src/figure.ts';
import { measureGuarded, recordRatios, toWorseLines, worseOf } from '../src/guard.ts';
import { RECORDED, recordedRatios, writeRecorded } from '../src/recorded-run.ts';

const RECORDED_RATIOS = { append: { ratio: 1.2, low: 1, high: 2 }, many: { ratio: 8, low: 6, high: 9 } };

/** A time, whose ratio is better when it is smaller. */
function append(ratio: number): Figure {
  const target = { of: 'ratio', is: 'at most', limit: 1.5 } as const;
  return { name: 'append', value: ratio, unit: 'ms', baseline: 1, ratio, target };
}

/** A rate, whose ratio is better when it is larger. */
function many(ratio: number): Figure {
  return { name: 'many', value: ratio, unit: 'per second', baseline: 1, ratio };
}

test('a ratio is worse beyond the worst recorded one by more than the recorded ones are apart', () => {
  expect(worseOf([append(4)], RECORDED_RATIOS)).toEqual([]);
  expect(worseOf([append(4.1)], RECORDED_RATIOS)).toMatchObject([{ name: 'append', ratio: 4.1, limit: 4 }]);
});

test('a rate is worse when it is smaller, with or without a target', () => {
  expect(worseOf([many(4)], RECORDED_RATIOS)).toEqual([]);
  expect(worseOf([many(3.9)], RECORDED_RATIOS)).toMatchObject([{ name: 'many', limit: 4 }]);
  const target = { of: 'ratio', is: 'at least', limit: 6 } as const;
  expect(worseOf([{ ...many(3.9), target }], RECORDED_RATIOS)).toHaveLength(1);
});

test('ratios that hardly differed have the least spread', () => {
  const recorded = { append: { ratio: 1, low: 1, high: 1 } };
  expect(worseOf([append(1.5)], recorded)).toEqual([]);
  expect(worseOf([append(1.51)], recorded)).toHaveLength(1);
});

test('figures without a ratio, and figures that are not recorded, are never worse', () => {
  expect(worseOf([{ ...append(99), ratio: null }], RECORDED_RATIOS)).toEqual([]);
  expect(worseOf([{ ...append(99), name: 'new' }], RECORDED_RATIOS)).toEqual([]);
});

test('a ratio that is worse is measured again, and fails only if it stays worse', async () => {
  const disturbed = [
    [append(9), many(5)],
    [append(1.1), many(2)],
  ];
  const calm = await measureGuarded(async () => disturbed.shift() ?? [], RECORDED_RATIOS);
  expect(calm.map(({ ratio }) => ratio)).toEqual([1.1, 5]);
  expect(disturbed).toEqual([]);
  let measured = 0;
  const slow = await measureGuarded(async () => [append(9 - measured++)], RECORDED_RATIOS);
  expect(measured).toBe(3);
  expect(worseOf(slow, RECORDED_RATIOS)).toMatchObject([{ ratio: 7 }]);
});

test('a ratio that is no worse is measured once', async () => {
  let measured = 0;
  await measureGuarded(async () => [append(++measured)], RECORDED_RATIOS);
  expect(measured).toBe(1);
});

test('the line of a ratio that is worse says what was allowed, found and recorded', () => {
  expect(toWorseLines(worseOf([append(4.5678)], RECORDED_RATIOS))).toBe(
    'append: expected a ratio of 4 at worst, found 4.57; the last committed run has 1.2 (1 to 2)',
  );
});

test('a recorded run has middle and spread of each ratio, and keeps what was not measured', () => {
  const rounds = [[append(3), { ...append(1), name: 'absolute', ratio: null }], [append(1)], [append(2.00049)]];
  expect(recordRatios(rounds, RECORDED_RATIOS)).toEqual({
    append: { ratio: 2, low: 1, high: 3 },
    many: RECORDED_RATIOS.many,
  });
});

test('a run that was written is read back, and none is there before', () => {
  const folder = mkdtempSync(join(tmpdir(), 'conv-bench-guard-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'baseline.json');
  expect(recordedRatios(path)).toEqual({});
  writeRecorded(path, [[append(1)], [append(2)]]);
  writeRecorded(path, [[many(5)]]);
  expect(recordedRatios(path)).toEqual({
    append: { ratio: 2, low: 1, high: 2 },
    many: { ratio: 5, low: 5, high: 5 },
  });
});

test('the committed run has ratios, each within its spread', () => {
  const ratios = Object.entries(recordedRatios(RECORDED));
  expect(ratios.length).toBeGreaterThan(10);
  for (const [name, { ratio, low, high }] of ratios)
    expect([name, low <= ratio && ratio <= high, low > 0]).toEqual([name, true, true]);
});
