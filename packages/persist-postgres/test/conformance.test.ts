import { describe, test } from 'vitest';
import { looking, makeStore, shortCases, storeCases } from './store-under-test.ts';

describe.each([
  ['listening', {}, storeCases],
  ['looking for changes', looking, shortCases],
] as const)('%s', (_, settings, cases) => {
  for (const { name, run } of cases) test(name, () => run({ make: () => makeStore(settings), waitTimeout: 60_000 }));
});
