import { listingCases } from './listing-entries.ts';
import type { RegistryConformanceCase } from './registry-under-test.ts';
import { writingCases } from './writing-entries.ts';

/** The cases for every `Registry`. Run them against the real thing: files, a database. They need no test runner. */
export const registryConformance: readonly RegistryConformanceCase[] = [...writingCases, ...listingCases];
