import { expect, test } from 'vitest';

import { parseOptions, USAGE } from '../src/options.ts';

test('200 rounds without options are played on a server that shows what it can', () => {
  const { seed, ...options } = parseOptions([]);
  expect(options).toEqual({
    rounds: 200,
    legacy: false,
    help: false,
    parallel: 4,
    timeout: 60_000,
    verbose: false,
    breakage: null,
  });
  expect(seed).toBeGreaterThanOrEqual(0);
});

test('the separator that npm hands on is left out', () => {
  expect(parseOptions(['--', '--rounds', '7', '--seed', '3', '--legacy'])).toMatchObject({
    rounds: 7,
    seed: 3,
    legacy: true,
  });
});

test.each([
  [['--rounds', 'many'], /--rounds takes a whole number of at least 1, not many/],
  [['--parallel', '0'], /--parallel takes a whole number of at least 1, not 0/],
  [['--break', 'everything'], /--break takes forgetful, .*, not everything/],
] as const)('%j is refused', (args, message) => {
  expect(() => parseOptions(args)).toThrow(message);
});

test('the help names every option', () => {
  for (const name of ['rounds', 'legacy', 'seed', 'parallel', 'timeout', 'verbose', 'break'])
    expect(USAGE).toContain(`--${name}`);
});
