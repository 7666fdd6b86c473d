import { checks } from '@conv/core';

/** A behaviour of every implementation of a contract. `run` needs no test runner, and rejects if it is not so. */
export interface ConformanceCase<Features, Context> {
  /** A sentence about behaviour; unique in its suite. */
  readonly name: string;
  /** Returns true if the case applies to an implementation with these features. Default: it applies to all. */
  readonly when?: ((features: Features) => boolean) | undefined;
  /** Resolves if the implementation behaves so. Rejects with an `AssertionError` that says what it did instead. */
  readonly run: (context: Context) => Promise<void>;
}

/**
 * The cases of a suite that apply to an implementation.
 *
 * @example
 * ```ts
 * import { applicableCases, storeConformance } from '@conv/conformance';
 * import { MemoryStore } from '@conv/core/store';
 * import { test } from 'vitest';
 *
 * const make = async () => {
 *   const store = new MemoryStore();
 *   return { store, again: async () => store, dispose: () => store.close() };
 * };
 * const features = { ...new MemoryStore().features, takeOver: false };
 * for (const { name, run } of applicableCases(storeConformance, features)) test(name, () => run({ make }));
 * ```
 */
export function applicableCases<Features, Context>(
  cases: readonly ConformanceCase<Features, Context>[],
  features: Features,
): readonly ConformanceCase<Features, Context>[] {
  if (!Array.isArray(cases))
    throw new TypeError(checks.wrongValue('applicableCases: cases', 'a suite such as storeConformance', cases));
  return cases.filter((one) => one.when?.(features) ?? true);
}

type CaseMaker<Features, Bench, Made> = (
  name: string,
  run: (bench: Bench) => Promise<void>,
  when?: (features: Features) => boolean,
) => Made;

/** Returns a maker of cases for implementations whose features meet a condition; a case may add one of its own. */
export function casesWhen<Features, Bench, Made>(
  make: CaseMaker<Features, Bench, Made>,
  condition: (features: Features) => boolean,
): CaseMaker<Features, Bench, Made> {
  return (name, run, when = () => true) => make(name, run, (features) => condition(features) && when(features));
}
