import { expect, test } from 'vitest';

import { parseOptions } from '../src/options.ts';

test('two hundred rounds are played unless told otherwise', () => {
  expect(parseOptions(['--seed', '5'])).toEqual({
    rounds: 200,
    stores: ['fs'],
    twoWriters: false,
    help: false,
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

test('one store is played on, or all of them', () => {
  expect(parseOptions(['--store', 's3'])).toMatchObject({ stores: ['s3'] });
  expect(parseOptions(['--all-stores', '--two-writers'])).toMatchObject({
    stores: ['fs', 'sqlite', 'postgres', 's3'],
    twoWriters: true,
  });
});

test.each([
  [['--rounds', '0'], '--rounds takes a whole number of at least 1, not 0'],
  [['--seed', 'x'], '--seed takes a whole number of at least 0, not x'],
  [['--break', 'all'], 'not all'],
  [['--store', 'tape'], '--store takes fs, sqlite, postgres, s3, not tape'],
  [['--store', 'fs', '--all-stores'], '--store and --all-stores exclude each other'],
])('%j is refused by name', (args, message) => {
  expect(() => parseOptions(args)).toThrow(message);
});
