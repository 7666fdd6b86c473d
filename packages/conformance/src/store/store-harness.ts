import type { Platform } from '@conv/core/platform';

import type { StoreUnderTest } from './store-under-test.ts';

/** The export `harness` of a module whose store `npx @conv/conformance` checks. */
export interface StoreHarness {
  /** Makes a store on a backend of its own, with nothing in it. Called once for each case, and once to read the features. */
  readonly make: () => Promise<StoreUnderTest>;
  /** Milliseconds to wait for what must come. Default 4000. */
  readonly waitTimeout?: number;
  /** Gives the cases their times, timers and ids. Default: the platform of the host. */
  readonly platform?: Platform;
}
