import { expect, test } from 'vitest';
import { countTests } from '../verify/count-tests.mjs';

const output = [
  '@conv/core:test: \u001b[2m Test Files \u001b[22m \u001b[1m\u001b[32m2 passed\u001b[39m\u001b[22m (2)',
  '@conv/core:test: \u001b[2m      Tests \u001b[22m \u001b[1m\u001b[32m40 passed\u001b[39m\u001b[22m | 2 skipped (42)',
  '@conv/agent:test:       Tests  1 failed | 6 passed (7)',
].join('\n');

test('tests are summed over packages, colours or not', () => {
  expect(countTests(output, ['@conv/core', '@conv/agent'])).toEqual({ passed: 46, failed: 1 });
});

test('a package with tests that did not report is a problem', () => {
  expect(countTests(output, ['@conv/core', '@conv/agent', '@conv/tools'])).toMatchObject({
    problem: 'no test results from @conv/tools',
  });
});

test('a run without a single test is a problem', () => {
  expect(countTests('', [])).toEqual({ passed: 0, failed: 0, problem: 'no test results from any package' });
  expect(countTests('@conv/core:test:       Tests  0 passed (0)', ['@conv/core'])).toHaveProperty('problem');
});
