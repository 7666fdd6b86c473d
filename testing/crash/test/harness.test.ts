import { describe, expect, test } from 'vitest';

import { BREAKAGES, type Breakage } from '../src/broken/breakage.ts';
import { play } from './play.ts';

test('P1 P2 P4 P5 P10: a few rounds on the real store find nothing', async () => {
  const { exitCode, result, errors } = await play('--', '--rounds', '8', '--seed', '20');
  const { acknowledged, ...found } = result;
  expect({ ...found, errors }).toEqual({
    errors: 'seed 20\n',
    rounds: 8,
    lost: 0,
    duplicated: 0,
    misordered: 0,
    unopenable: 0,
    orphanedCalls: 0,
    weakenedSettings: 0,
  });
  expect(acknowledged).toBeGreaterThan(100);
  expect(exitCode).toBe(0);
});

describe('what is broken on purpose is found', () => {
  test.each(Object.entries(BREAKAGES) as [Breakage, (typeof BREAKAGES)[Breakage]][])(
    '%s shows as %s',
    async (breakage, counter) => {
      const { exitCode, result } = await play('--rounds', '8', '--seed', '7', '--break', breakage);
      expect(result[counter]).toBeGreaterThan(0);
      expect(exitCode).toBe(1);
    },
  );
});
