import type { Registry } from '@conv/store-kit/registry';

import type { ConformanceCase } from '../conformance-case.ts';

/** An empty registry on a backend of its own. */
export interface RegistryUnderTest {
  readonly registry: Registry;
  /** Resolves with another object on the same backend, as another process has it. */
  readonly again: () => Promise<Registry>;
  /** Removes the backend. */
  readonly dispose: () => Promise<void>;
}

/** Gives each case its registry. */
export interface RegistrySuiteContext {
  /** Resolves with a new backend and its registry. */
  readonly make: () => Promise<RegistryUnderTest>;
}

/** A behaviour of every registry. All cases apply to all registries. */
export type RegistryConformanceCase = ConformanceCase<unknown, RegistrySuiteContext>;

/** Makes a case that gets a registry of its own. */
export function registryCase(name: string, run: (bench: RegistryUnderTest) => Promise<void>): RegistryConformanceCase {
  return {
    name,
    run: async ({ make }) => {
      const bench = await make();
      try {
        await run(bench);
      } finally {
        await bench.dispose();
      }
    },
  };
}
