import { describe, expect, test } from 'vitest';
import { isCi, STORE_KINDS } from '@conv/testing-harness';

import { BREAKAGES, type Breakage } from '../src/broken/breakage.ts';
import { play } from './play.ts';

/** CI plays every store besides, with other guards, and has no time to break all of them in every way. */
test.skipIf(isCi)('P1 P2 P4 P5 P10: a few rounds on the real store find nothing', async () => {
  const { exitCode, result, errors } = await play('--', '--rounds', '8', '--seed', '20');
  const { acknowledged, ...found } = result;
  expect({ ...found, errors }).toEqual({
    errors: 'seed 20\n',
    store: 'fs',
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

test.skipIf(isCi)(
  'P1 P2: two writers that take a conversation from each other lose, double and misplace nothing',
  async () => {
    const { exitCode, result, errors } = await play('--two-writers', '--rounds', '3', '--seed', '21');
    const { acknowledged, takeovers, fenced, ...found } = result;
    expect({ ...found, errors }).toEqual({
      errors: 'seed 21\n',
      store: 'fs',
      twoWriters: true,
      rounds: 3,
      lost: 0,
      duplicated: 0,
      misordered: 0,
      unopenable: 0,
    });
    expect(acknowledged).toBeGreaterThan(100);
    expect(takeovers).toBeGreaterThan(6);
    expect(fenced).toBeGreaterThan(0);
    expect(exitCode).toBe(0);
  },
);

const onStores = { sqlite: ['early'], postgres: ['doubling'], s3: ['unfenced'] } as const;
const onFiles: readonly Breakage[] = ['weakening'];

describe.each(STORE_KINDS.filter((kind) => kind !== 'fs'))('what is broken on purpose is found on %s', (store) => {
  test.each(isCi ? onStores[store] : (['early', 'doubling', 'unfenced'] as const))('%s', async (breakage) => {
    const options = ['--store', store, '--two-writers', '--rounds', '2', '--seed', '7', '--break', breakage];
    const { exitCode, result } = await play(...options);
    expect(result[BREAKAGES[breakage]]).toBeGreaterThan(0);
    expect(result.store).toBe(store);
    expect(exitCode).toBe(1);
  });
});

describe('what is broken on purpose is found', () => {
  const breakages = Object.entries(BREAKAGES) as [Breakage, (typeof BREAKAGES)[Breakage]][];
  test.each(breakages.filter(([breakage]) => !isCi || onFiles.includes(breakage)))(
    '%s shows as %s',
    async (breakage, counter) => {
      const { exitCode, result } = await play('--rounds', '8', '--seed', '7', '--break', breakage);
      expect(result[counter]).toBeGreaterThan(0);
      expect(exitCode).toBe(1);
    },
  );
});
