/**
 * Suites that every store and every runtime passes. Each case is a name and a function; any test runner will do.
 *
 * @packageDocumentation
 */
export { applicableCases, type ConformanceCase } from './conformance-case.ts';
export { storeConformance } from './store/store-conformance.ts';
export type {
  StoreConformanceCase,
  StoreSuiteContext,
  StoreSuiteFeatures,
  StoreUnderTest,
} from './store/store-under-test.ts';
