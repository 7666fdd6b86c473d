import { expect, test } from 'vitest';
import { failedBeside, failedFiles, failedPackages, failedTests } from '../verify/failed-tests.mjs';

const output = [
  '@conv/core:test: \u001b[2m      Tests \u001b[22m \u001b[1m\u001b[32m40 passed\u001b[39m\u001b[22m | 2 skipped (42)',
  '@conv/agent:test: \u001b[41m\u001b[1m FAIL \u001b[22m\u001b[49m test/step.test.ts\u001b[2m > \u001b[22ma step asks once',
  '@conv/agent:test:  FAIL  test/step.test.ts > a step asks once',
  '@conv/agent:test:       Tests  1 failed | 6 passed (7)',
  '@conv/local:test:  FAIL  test/run.test.ts [ test/run.test.ts ]',
  '@conv/local:test:       Tests  9 passed (9)',
].join('\n');

test('failed tests are named once, with their package', () => {
  expect(failedTests(output)).toEqual([
    '@conv/agent test/step.test.ts > a step asks once',
    '@conv/local test/run.test.ts [ test/run.test.ts ]',
  ]);
});

test('a package failed when a test of it did, when a file of it could not run, and when it said nothing', () => {
  const packages = ['@conv/core', '@conv/agent', '@conv/local', '@conv/tools'];
  expect(failedPackages(output, packages)).toEqual(['@conv/agent', '@conv/local', '@conv/tools']);
  expect(failedPackages(output, ['@conv/core'])).toEqual([]);
});

test('the files of failed tests are named once, and none is named when a package failed in another way', () => {
  const files = ['test/step.test.ts', 'test/run.test.ts'];
  expect(failedFiles(output, ['@conv/agent', '@conv/local'])).toEqual(files);
  expect(failedFiles(output, ['@conv/agent', '@conv/local', '@conv/tools'])).toEqual([]);
});

test('errors beside the tests, and what tests left behind, are seen though every test passed', () => {
  expect(failedBeside(output)).toBe(false);
  expect(failedBeside(`${output}\n@conv/core:test: \u001b[31m⎯⎯⎯ \u001b[1mUnhandled Errors \u001b[22m⎯⎯⎯`)).toBe(true);
  expect(failedBeside(`${output}\nleft behind: process 7, node server.js`)).toBe(true);
});
