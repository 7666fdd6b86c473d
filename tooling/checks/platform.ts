import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf } from './platform/code-of.ts';
import { HOST, NODE, NO_DEFAULT, type Rule } from './platform/rules.ts';
import { type Report, runCheck } from './report.ts';

/** The folder of the seam; nothing else asks the host. */
const SEAM = 'packages/core/src/platform/';

/** The packages that run in browsers and workers, too. */
const ANYWHERE = ['packages/core/', 'packages/openhands/', 'packages/remote/'];

/**
 * Checks that the packages get clocks, timers, random numbers and ids through the seam of `@conv/core/platform`, and that the
 * packages for browsers need nothing of Node.
 */
export function checkPlatform(root: string): Report {
  const files = globSync('packages/*/src/**/*.{ts,tsx}', { cwd: root }).toSorted();
  const problems = files.flatMap((file) => problemsOf(root, file));
  const seam = files.filter((file) => file.startsWith(SEAM)).length;
  const anywhere = files.filter((file) => isForAnyHost(file)).length;
  return { saw: { files: files.length, 'files of the seam': seam, 'files for browsers': anywhere }, problems };
}

function problemsOf(root: string, file: string): readonly string[] {
  if (file.startsWith(SEAM)) return [];
  const isForNode = existsSync(join(root, file.replace(/\.ts$/, '.browser.ts')));
  const rules: readonly Rule[] = [...HOST, NO_DEFAULT, ...(isForAnyHost(file) && !isForNode ? [NODE] : [])];
  const lines = codeOf(readFileSync(join(root, file), 'utf8')).split('\n');
  return lines.flatMap((line, index) =>
    rules
      .filter(({ pattern }) => pattern.test(withoutImport(line)))
      .map(({ found, write }) => `${file}:${index + 1} ${found}: "${line.trim().slice(0, 80)}"; write ${write}`),
  );
}

/** Naming the platform in an import is no use of it, and types are gone when a program runs. */
function withoutImport(line: string): string {
  return /^(?:import|export) (?:type |.*platform)/.test(line) ? '' : line;
}

function isForAnyHost(file: string): boolean {
  return ANYWHERE.some((folder) => file.startsWith(folder));
}

if (import.meta.main) await runCheck('platform', (root) => checkPlatform(root));
