import { expect, test } from 'vitest';

import { checkOptionNames, describeValue } from '../../../src/index.ts';

const NAMES = { maxBudget: true, maxBudgetPerRun: true, id: true } as const;

test.for([
  ['maxBudgt', 'maxBudget'],
  ['maxbudget', 'maxBudget'],
  ['max_budget', 'maxBudget'],
  ['maxBugdet', 'maxBudget'],
  ['maxBudgetPerRuns', 'maxBudgetPerRun'],
  ['ID', 'id'],
])('P13: a misspelt option %s is refused with the name %s', ([written, meant]) => {
  expect(() => checkOptionNames('make', { [written as string]: 1 }, NAMES)).toThrow(
    new TypeError(`make: there is no option ${JSON.stringify(written)}; did you mean ${meant}?`),
  );
});

test('P13: an option that is not near a known one is refused with the list of options', () => {
  expect(() => checkOptionNames('make', { cwd: '.' }, NAMES)).toThrow(
    new TypeError('make: there is no option "cwd"; the options are maxBudget, maxBudgetPerRun, id'),
  );
});

test('P13: a misspelt option is refused even if it is undefined or named like a member of every object', () => {
  expect(() => checkOptionNames('make', { maxBudgt: undefined }, NAMES)).toThrow(/did you mean maxBudget/);
  expect(() => checkOptionNames('make', { toString: 1 }, NAMES)).toThrow(/there is no option "toString"/);
});

test.for([
  [undefined, 'nothing'],
  [null, 'null'],
  ['', 'an empty string'],
  ['secret', 'a string'],
  [[1], 'an array'],
  [5, 'a number'],
  [class Store {}, 'the function Store'],
  [new Map(), 'an object of Map'],
] as const)('P13: %s in the place of options is refused as %s, without its value', ([value, name]) => {
  expect(describeValue(value)).toBe(name);
  if (typeof value === 'object' && value instanceof Map) return;
  expect(() => checkOptionNames('make', value, NAMES)).toThrow(
    `make: expected an object with the options maxBudget, maxBudgetPerRun, id, found ${name}`,
  );
});

test('options with known names alone are taken, and so are none', () => {
  expect(() => checkOptionNames('make', { id: 'a', maxBudget: undefined }, NAMES)).not.toThrow();
  expect(() => checkOptionNames('make', {}, NAMES)).not.toThrow();
});
