import type { StoreUnderTest } from './store-under-test.ts';

/** What a module exports as `harness` for `npx @conv/conformance` to check its store. */
export interface StoreHarness {
  /** Makes a store on a backend of its own, with nothing in it. Called once for each case, and once to read the features. */
  readonly make: () => Promise<StoreUnderTest>;
  /** Milliseconds to wait for what must come. Default 4000. */
  readonly patience?: number;
}
