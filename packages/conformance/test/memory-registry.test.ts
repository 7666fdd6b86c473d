import { MemoryRegistry } from '@conv/store-kit/registry';
import { test } from 'vitest';

import { registryConformance, type RegistryUnderTest } from '../src/index.ts';

const make = async (): Promise<RegistryUnderTest> => {
  const registry = new MemoryRegistry();
  return { registry, again: async () => registry, dispose: async () => {} };
};

for (const { name, run } of registryConformance) test(name, () => run({ make }));
