import { expect, test } from 'vitest';

import { median, reaches, type Figure } from '../src/figure.ts';
import { toJsonLines, toTable } from '../src/table.ts';

const slow: Figure = {
  name: 'fs.append.single.1',
  value: 0.4,
  unit: 'ms',
  baseline: 0.2,
  ratio: 2,
  target: { of: 'ratio', is: 'at most', limit: 1.5 },
};

test('a figure is held to its target, ratio or value', () => {
  expect(reaches(slow)).toBe(false);
  expect(reaches({ ...slow, ratio: 1.5 })).toBe(true);
  expect(reaches({ ...slow, target: { of: 'value', is: 'at least', limit: 0.4 } })).toBe(true);
  const { target: _, ...informing } = slow;
  expect(reaches(informing)).toBeUndefined();
});

test('the table names what was not reached', () => {
  expect(toTable([slow])).toMatchInlineSnapshot(`
    "figure              value  unit  baseline  ratio  target
    fs.append.single.1    0.4  ms         0.2      2  ratio at most 1.5  NOT REACHED"
  `);
});

test('the table keeps the zeros of whole numbers and drops those behind a point', () => {
  const shown = (value: number): string =>
    toTable([{ ...slow, value, baseline: null, ratio: null }]).split('\n')[1] ?? '';
  expect(shown(120)).toMatch(/ 120 {2}ms/);
  expect(shown(100.04)).toMatch(/ 100 {2}ms/);
  expect(shown(0.5)).toMatch(/ 0\.5 {2}ms/);
  expect(shown(12_000)).toMatch(/ 12,000 {2}ms/);
});

test('JSON lines hold the five members that programs read', () => {
  expect(JSON.parse(toJsonLines([slow]))).toEqual({
    name: 'fs.append.single.1',
    value: 0.4,
    unit: 'ms',
    baseline: 0.2,
    ratio: 2,
  });
});

test('the median of nothing is an error, not a number', () => {
  expect(median([3, 1, 2])).toBe(2);
  expect(() => median([])).toThrow(RangeError);
});
