import { type Platform, systemPlatform, type Timer } from '@conv/core/platform';

import { applicableCases } from '../conformance-case.ts';
import { storeConformance } from '../store/store-conformance.ts';
import type { StoreHarness } from '../store/store-harness.ts';
import {
  suiteFeatures,
  type StoreConformanceCase,
  type StoreSuiteContext,
  type StoreSuiteFeatures,
} from '../store/store-under-test.ts';

/** Milliseconds after which a case that has not ended counts as hanging. */
const LONGEST = 120_000;

export interface CaseResult {
  readonly name: string;
  /** The error of a case that failed; `undefined` if the case holds. */
  readonly failure: unknown;
  readonly milliseconds: number;
}

export interface SuiteResult {
  readonly features: StoreSuiteFeatures;
  readonly results: readonly CaseResult[];
  /** Names of chosen cases that do not apply to a store with these features. */
  readonly leftOut: readonly string[];
}

interface SuiteContext extends StoreSuiteContext {
  readonly platform: Platform;
}

/** Runs the cases whose names contain `only`, one after the other, each on a backend of its own. */
export async function runStoreSuite(
  { make, waitTimeout, platform = systemPlatform }: StoreHarness,
  only: string,
  onResult: (result: CaseResult) => void,
): Promise<SuiteResult> {
  const under = await make();
  const features = suiteFeatures(under);
  await under.dispose();
  const chosen = storeConformance.filter(({ name }) => name.includes(only));
  const cases = applicableCases(chosen, features);
  const context = { make, platform, ...(waitTimeout === undefined ? {} : { waitTimeout }) };
  const results: CaseResult[] = [];
  for (const one of cases) {
    const result = await runCase(one, context);
    results.push(result);
    onResult(result);
  }
  const leftOut = chosen.filter((one) => !cases.includes(one)).map(({ name }) => name);
  return { features, results, leftOut };
}

async function runCase({ name, run }: StoreConformanceCase, context: SuiteContext): Promise<CaseResult> {
  const { platform } = context;
  const started = platform.monotonic();
  const ended = (failure: unknown): CaseResult => ({ name, failure, milliseconds: platform.monotonic() - started });
  let timer: Timer | undefined;
  let stray: ((reason: unknown) => void) | undefined;
  const endless = new Promise<never>((_, reject) => {
    timer = platform.setTimer(LONGEST, () => reject(new Error(`it has not ended after ${LONGEST / 1000} s`)));
    // An unhandled rejection would end a program that uses the store, so it fails the case.
    stray = (reason) => reject(new Error(`a rejection without a handler: ${String(reason)}`, { cause: reason }));
    process.on('unhandledRejection', stray);
  });
  try {
    // Node reports an unhandled rejection after the promises of a turn have settled: the case ends one turn later.
    await Promise.race([run(context).then(() => platform.nextTurn()), endless]);
    return ended(undefined);
  } catch (error) {
    return ended(error ?? new Error('it was rejected with nothing'));
  } finally {
    timer?.cancel();
    if (stray) process.off('unhandledRejection', stray);
  }
}
