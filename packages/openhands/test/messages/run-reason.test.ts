import { expect, test } from 'vitest';

import { runReason, stopReason } from '../../src/messages/index.ts';

test.each([
  ['Agent reached maximum iterations limit (500).', 'maxIterations', 500],
  ['Agent reached maximum budget limit ($0.5000); accumulated cost $0.5100.', 'maxBudgetPerRun', 0.5],
  [
    'Agent reached maximum budget limit ($2.0000); accumulated cost $2.4. The limit is that of all runs together.',
    'maxBudget',
    2,
  ],
  ['Agent reached maximum budget limit ($0.5). This run has cost $0.51.', 'maxBudgetPerRun', 0.5],
  ['Agent reached maximum budget limit ($1e-7). This run has cost $0.5.', 'maxBudgetPerRun', 1e-7],
  ['Agent reached maximum budget limit ($2). The conversation has cost $2.4.', 'maxBudget', 2],
])('the reason of a run names the limit that "%s" tells of', (detail, limit, value) => {
  expect(runReason({ code: 'SomeCode', detail })).toEqual({ code: 'SomeCode', detail, limit, value });
});

test('the reason of a run that met no limit has the code and the sentence alone', () => {
  const told = { code: 'StuckDetected', detail: 'The same call five times.' };
  expect(runReason(told)).toEqual(told);
});

test.each([
  ['stuck', 'StuckDetected', true],
  ['error', 'MaxIterationsReached', true],
  ['error', 'MaxBudgetReached', true],
  ['error', 'LlmError', false],
] as const)('a run with the status %s and the code %s has a reason: %s', (status, code, hasReason) => {
  const told = { code, detail: 'The end of it.' };
  expect(stopReason(status, told)).toEqual(hasReason ? told : undefined);
});
