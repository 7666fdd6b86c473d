import { stripVTControlCharacters } from 'node:util';

/**
 * Sums vitest's own totals in turbo's output. A package whose tests did not report is a problem: silence is no success.
 * @param {string} output
 * @param {readonly string[]} packages the names of the packages that have tests
 * @returns {{ passed: number, failed: number, problem?: string }}
 */
export function countTests(output, packages) {
  const totals = [...stripVTControlCharacters(output).matchAll(/^(\S+):test: +Tests {2}(.*)$/gm)];
  const sum = (/** @type {RegExp} */ pattern) =>
    totals.reduce((total, [, , line]) => total + Number(pattern.exec(line ?? '')?.[1] ?? 0), 0);
  const counted = { passed: sum(/(\d+) passed/), failed: sum(/(\d+) failed/) };
  const reported = new Set(totals.map(([, name]) => name));
  const silent = packages.filter((name) => !reported.has(name));
  if (silent.length === 0 && counted.passed > 0) return counted;
  return { ...counted, problem: `no test results from ${silent.join(', ') || 'any package'}` };
}
