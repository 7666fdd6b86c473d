import { test } from 'vitest';

import { applicableCases, storeConformance, type StoreUnderTest } from '../src/index.ts';
import { MemoryStore } from '@conv/core/store';

const make = async (): Promise<StoreUnderTest> => {
  const store = new MemoryStore();
  return { store, again: async () => store, dispose: () => store.close() };
};

const features = { ...new MemoryStore().features, takeOver: false };

for (const { name, run } of applicableCases(storeConformance, features))
  test(name, () => run({ make, waitTimeout: 60_000 }));
