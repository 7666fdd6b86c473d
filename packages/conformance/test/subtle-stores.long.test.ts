import { describe, expect, test } from 'vitest';

import { applicableCases, storeConformance, suiteFeatures } from '../src/index.ts';
import { shareMemory } from './broken-stores/shared-store.ts';
import { subtleLateWrites } from './subtle-stores/late-writes.ts';
import { subtleOwning } from './subtle-stores/owning.ts';
import { subtleReading } from './subtle-stores/reading.ts';
import { subtleWriting } from './subtle-stores/writing.ts';

const cases = applicableCases(storeConformance, suiteFeatures(shareMemory()));
const stores = [...subtleWriting, ...subtleLateWrites, ...subtleReading, ...subtleOwning];

describe('the suite catches a store that', () => {
  for (const { flaw, make } of stores) {
    test(flaw, async () => {
      for (const { run } of cases) {
        const failed = await run({ make, waitTimeout: 2_000 }).then(
          () => false,
          () => true,
        );
        if (failed) return;
      }
      expect.fail(`no case of the suite fails on a store that ${flaw}`);
    });
  }
});

test('every subtle store has a flaw of its own', () => {
  expect(new Set(stores.map(({ flaw }) => flaw)).size).toBe(stores.length);
  expect(stores.length).toBeGreaterThanOrEqual(40);
});
