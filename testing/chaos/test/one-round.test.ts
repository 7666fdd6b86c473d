import { isCi } from '@conv/testing-harness';
import { expect, test } from 'vitest';

import { play } from './play.ts';

// CI plays more, as a guard of its own
test.skipIf(isCi)('P1 P11: one round on a bad network misses, doubles and misplaces nothing', async () => {
  const { exitCode, result } = await play('--', '--rounds', '1', '--seed', '20');
  expect(result).toMatchObject({ rounds: 1, missing: 0, duplicated: 0, misordered: 0, stuckRuns: 0 });
  expect(result.events).toBeGreaterThan(5);
  expect(exitCode).toBe(0);
});
