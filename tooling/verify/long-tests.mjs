import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Packages of programs. CI plays a third of their long tests: they take two thirds of the time of all long tests. */
const IN_THIRDS = ['@conv/studio', '@conv/cli', '@conv/agent-server'];

/**
 * True if a package has tests in files named `*.long.test.ts`.
 * @param {string} folder of the package
 */
export function hasLongTests(folder) {
  return longTests(folder).length > 0;
}

/**
 * Returns which files of long tests a run plays, as vitest chooses files: all, and every third one of a program where a turn of CI is
 * given. The next two turns play the others.
 * @param {string} folder of the package
 * @param {string} name of the package
 * @param {string | undefined} turn the number in `CONV_CI`
 * @returns {readonly string[]}
 */
export function longTestsOn(folder, name, turn) {
  if (turn === undefined || !IN_THIRDS.includes(name)) return ['.long.test.ts'];
  return longTests(folder).filter((_, at) => at % 3 === Number(turn) % 3);
}

/**
 * Returns the paths of the files of long tests in a package, from its folder, in the same order on each machine.
 * @param {string} folder of the package
 * @returns {readonly string[]}
 */
function longTests(folder) {
  const tests = join(folder, 'test');
  if (!existsSync(tests)) return [];
  const names = readdirSync(tests, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.long.test.ts'),
  );
  return names.map((name) => join('test', name)).sort();
}
