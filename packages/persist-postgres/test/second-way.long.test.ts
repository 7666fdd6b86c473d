import { isCi } from '@conv/testing-harness';
import { describe, test } from 'vitest';
import { looking, makeStore, shortCases, storeCases } from './store-under-test.ts';

// the cases that `conformance.test.ts` leaves out
describe.skipIf(isCi)('looking for changes', () => {
  for (const { name, run } of storeCases.filter((one) => !shortCases.includes(one)))
    test(name, () => run({ make: () => makeStore(looking), waitTimeout: 60_000 }));
});
