import { isCi } from '@conv/testing-harness';
import { describe, expect, test } from 'vitest';

import { BREAKAGES, type Breakage } from '../src/broken/breakage.ts';
import type { Counter } from '../src/counters.ts';
import { NOTHING, TIMEOUT, play } from './play.ts';

/** CI plays a storm besides, and has no time to break everything. */
const brokenInCi: readonly Breakage[] = ['forgetful'];

test.skipIf(isCi)(
  'P1 P2 P5 P11: no event is missing, doubled, misplaced, run twice or unfinished after strikes',
  async () => {
    const { exitCode, result, errors } = await play('--servers', '3', '--seconds', '10', '--seed', '20', ...TIMEOUT);
    expect({ ...result, errors }).toMatchObject(NOTHING);
    expect(result.kills + result.zombies).toBeGreaterThan(0);
    expect(result.takeovers).toBeGreaterThan(0);
    expect(result.takeoverMs?.max).toBeGreaterThan(0);
    expect(result.events).toBeGreaterThan(50);
    expect(exitCode).toBe(0);
  },
);

test.skipIf(isCi)('P1 P5 P11: servers are ended and started in turn, and nobody notices', async () => {
  const { exitCode, result, errors } = await play(
    '--servers',
    '2',
    '--rolling',
    '--seconds',
    '6',
    '--seed',
    '21',
    ...TIMEOUT,
  );
  expect({ ...result, errors }).toMatchObject(NOTHING);
  expect(result.takeovers).toBeGreaterThan(0);
  expect(exitCode).toBe(0);
});

test.skipIf(isCi)('a storm in which nobody was taken over is no proof of anything', async () => {
  const { exitCode, result } = await play('--servers', '1', '--seconds', '3');
  expect(result).toMatchObject({ ...NOTHING, takeovers: 0, takeoverMs: null });
  expect(exitCode).toBe(1);
});

describe('what is broken on purpose is found', () => {
  const breakages = Object.entries(BREAKAGES) as [Breakage, Counter][];
  test.each(breakages.filter(([breakage]) => !isCi || brokenInCi.includes(breakage)))(
    '%s shows as %s',
    async (breakage, counter) => {
      const options = ['--servers', '1', '--calm', '--seconds', '8', '--timeout', '5', '--break', breakage];
      const { exitCode, result } = await play(...options);
      expect(result[counter]).toBeGreaterThan(0);
      expect(exitCode).toBe(1);
    },
  );
});
