import { isCi } from '@conv/testing-harness';
import { describe, test } from 'vitest';
import { betterSqlite3 } from '../src/index.ts';
import { makeStore, storeCases } from './store-under-test.ts';

// the cases that `conformance.test.ts` leaves out
describe.skipIf(isCi)(`on ${betterSqlite3.name}`, () => {
  for (const { name, run } of storeCases.filter((_, index) => index % 10 !== 0))
    test(name, () => run({ make: () => makeStore(betterSqlite3), waitTimeout: 60_000 }));
});
