import { stripVTControlCharacters } from 'node:util';

/**
 * The tests and files that vitest names as failed in turbo's output, each once, with its package in front.
 * @param {string} output
 * @returns {readonly string[]}
 */
export function failedTests(output) {
  const lines = stripVTControlCharacters(output).matchAll(/^(\S+):test: +FAIL +(.*?) *$/gm);
  return [...new Set([...lines].map(([, name, test]) => `${name} ${test}`))];
}

/**
 * Returns the packages whose tests failed, or did not report.
 * @param {string} output
 * @param {readonly string[]} packages the names of the packages that have tests
 * @returns {readonly string[]}
 */
export function failedPackages(output, packages) {
  const totals = stripVTControlCharacters(output).matchAll(/^(\S+):test: +Tests {2}(.*)$/gm);
  const fine = new Set([...totals].filter(([, , line]) => !/\d failed/.test(line ?? '')).map(([, name]) => name));
  const broken = new Set(failedTests(output).map((line) => line.split(' ')[0]));
  return packages.filter((name) => !fine.has(name) || broken.has(name));
}

/**
 * Returns the files whose tests failed, so that these alone run again. Returns none if one of the packages failed in another way.
 * @param {string} output
 * @param {readonly string[]} packages the names of the packages that failed
 * @returns {readonly string[]}
 */
export function failedFiles(output, packages) {
  const named = failedTests(output).map((line) => /^(\S+) (\S+\.test\.tsx?)(?= |$)/.exec(line) ?? []);
  const known = new Set(named.map(([, name]) => name));
  if (!packages.every((name) => known.has(name))) return [];
  return [...new Set(named.flatMap(([, , file]) => file ?? []))];
}

/**
 * True if something failed that no test is named for: an error beside the tests, or a process or file that tests left behind.
 * @param {string} output
 */
export function failedBeside(output) {
  return /^\S+:test: .*Unhandled Error|^left behind: /m.test(stripVTControlCharacters(output));
}
