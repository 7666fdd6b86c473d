import { expect, test } from 'vitest';

import { parseOptions } from '../src/options.ts';

test('two hundred rounds are played unless told otherwise', () => {
  expect(parseOptions(['--seed', '5'])).toEqual({
    rounds: 200,
    seed: 5,
    parallel: 4,
    keep: false,
    verbose: false,
    breakage: null,
  });
});

test('the separator that npm hands on is no option', () => {
  expect(parseOptions(['--', '--rounds', '3'])).toMatchObject({ rounds: 3 });
});

test.each([
  [['--rounds', '0'], '--rounds takes a whole number of at least 1, not 0'],
  [['--seed', 'x'], '--seed takes a whole number of at least 0, not x'],
  [['--break', 'all'], 'not all'],
])('%j is refused by name', (args, message) => {
  expect(() => parseOptions(args)).toThrow(message);
});
