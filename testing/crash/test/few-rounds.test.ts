import { isCi } from '@conv/testing-harness';
import { expect, test } from 'vitest';

import { play } from './play.ts';

// CI plays more, as a guard of its own
test.skipIf(isCi)('P1 P2 P4 P5 P10: two rounds of kills on files lose, double and weaken nothing', async () => {
  const { exitCode, result, errors } = await play('--', '--rounds', '2', '--seed', '20');
  const { acknowledged, ...found } = result;
  expect({ ...found, errors }).toEqual({
    errors: 'seed 20\n',
    store: 'fs',
    rounds: 2,
    lost: 0,
    duplicated: 0,
    misordered: 0,
    unopenable: 0,
    orphanedCalls: 0,
    weakenedSettings: 0,
  });
  expect(acknowledged).toBeGreaterThan(20);
  expect(exitCode).toBe(0);
});
