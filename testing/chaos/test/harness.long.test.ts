import { isCi } from '@conv/testing-harness';
import { describe, expect, test } from 'vitest';

import { BREAKAGES, type Breakage } from '../src/broken/breakage.ts';
import { play } from './play.ts';

const weathers = [
  ['the session socket and keys', '3', []],
  ['the events socket and no keys', '2', ['--legacy']],
] as const;

/** CI plays rounds besides, and has no time to break everything. */
const brokenInCi: readonly Breakage[] = ['forgetful'];

test.skipIf(isCi).each(weathers)(
  'P1 P11: nothing is missing, doubled or misplaced with %s, and every run ends',
  async (_with, rounds, mode) => {
    const { exitCode, result, errors } = await play('--', '--rounds', rounds, '--seed', '20', ...mode);
    const { events, ...found } = result;
    expect({ ...found, errors }).toEqual({
      errors: expect.stringMatching(
        /^seed 20\n\d+ kills of servers; in storms .*\nafter missing .* in calm weather .*\n$/,
      ),
      rounds: Number(rounds),
      missing: 0,
      duplicated: 0,
      misordered: 0,
      stuckRuns: 0,
    });
    expect(events).toBeGreaterThan(20);
    expect(exitCode).toBe(0);
  },
);

describe('what is broken on purpose is found', () => {
  const breakages = Object.entries(BREAKAGES) as [Breakage, (typeof BREAKAGES)[Breakage]][];
  test.each(breakages.filter(([breakage]) => !isCi || brokenInCi.includes(breakage)))(
    '%s shows as %s',
    async (breakage, counter) => {
      const options = ['--rounds', '4', '--seed', '7', '--timeout', '3000', '--break', breakage];
      const { exitCode, result } = await play(...options);
      expect(result[counter]).toBeGreaterThan(0);
      expect(exitCode).toBe(1);
    },
  );
});
