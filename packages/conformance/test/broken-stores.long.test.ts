import { stepsInCi } from '@conv/testing-harness';
import { describe, expect, test } from 'vitest';

import { applicableCases, storeConformance, suiteFeatures } from '../src/index.ts';
import type { BrokenStore } from './broken-stores/broken-store.ts';
import { brokenChecking } from './broken-stores/checking.ts';
import { brokenDeleting } from './broken-stores/deleting.ts';
import { brokenForking } from './broken-stores/forking.ts';
import { brokenLateWrites } from './broken-stores/late-writes.ts';
import { brokenLifetime } from './broken-stores/lifetime.ts';
import { brokenListing } from './broken-stores/listing.ts';
import { brokenLostAnswers } from './broken-stores/lost-answers.ts';
import { brokenOwnership } from './broken-stores/ownership.ts';
import { brokenReading } from './broken-stores/reading.ts';
import { brokenResources } from './broken-stores/resources.ts';
import { shareMemory } from './broken-stores/shared-store.ts';
import { brokenWatching } from './broken-stores/watching.ts';
import { brokenWriting } from './broken-stores/writing.ts';

const brokenStores: readonly BrokenStore[] = [
  ...brokenWriting,
  ...brokenLostAnswers,
  ...brokenLateWrites,
  ...brokenReading,
  ...brokenWatching,
  ...brokenOwnership,
  ...brokenListing,
  ...brokenForking,
  ...brokenDeleting,
  ...brokenChecking,
  ...brokenLifetime,
  ...brokenResources,
];

const cases = applicableCases(storeConformance, suiteFeatures(shareMemory()));

/** The part of the other cases that CI runs on each broken store: other cases on each. */
const { first, step } = stepsInCi(10);

describe('store objects that share a memory', () => {
  for (const { name, run } of cases) test(name, () => run({ make: async () => shareMemory(), waitTimeout: 60_000 }));
});

describe('a broken store is caught by one case alone', () => {
  for (const [at, { caughtBy, make }] of brokenStores.entries()) {
    const asked = cases.filter(({ name }, index) => name === caughtBy || (index + at) % step === first);
    test(caughtBy, async () => {
      const failed: string[] = [];
      for (const { name, run } of asked) {
        // the case that is expected to fail may wait until its timeout; the others must not fail because the machine is slow
        await run({ make, waitTimeout: name === caughtBy ? 100 : 20_000 }).catch(() => failed.push(name));
      }
      expect(failed).toEqual([caughtBy]);
    });
  }
});

test('every case of the suite has a broken store, and names are unique', () => {
  expect(brokenStores.map(({ caughtBy }) => caughtBy)).toEqual(storeConformance.map(({ name }) => name));
  expect(new Set(storeConformance.map(({ name }) => name)).size).toBe(storeConformance.length);
});
