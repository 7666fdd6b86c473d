import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/**
 * True if a package has tests in files named `*.long.test.ts`.
 * @param {string} folder of the package
 */
export function hasLongTests(folder) {
  const tests = join(folder, 'test');
  if (!existsSync(tests)) return false;
  return readdirSync(tests, { recursive: true, encoding: 'utf8' }).some((name) => name.endsWith('.long.test.ts'));
}
