import { execFileSync } from 'node:child_process';
import { closeSync, openSync, readSync } from 'node:fs';

/**
 * Returns the shared libraries that these programs load, and the loader itself, as the paths at which programs look for them.
 *
 * @param {readonly string[]} files
 * @returns {string[]}
 */
export function neededLibraries(files) {
  const programs = files.filter(isElf);
  if (programs.length === 0) throw new Error('expected programs to copy, found none');
  const found = new Set();
  for (const program of programs) {
    for (const line of dependenciesOf(program).split('\n')) {
      const path = /(?:=> |^\s+)(\/\S+) \(0x/.exec(line)?.[1];
      if (path !== undefined) found.add(path);
      if (line.includes('=> not found')) throw new Error(`${program} needs a library that is not here: ${line.trim()}`);
    }
  }
  return [...found];
}

/** @param {string} program */
function dependenciesOf(program) {
  try {
    return execFileSync('ldd', [program], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  } catch {
    // a static program has none
    return '';
  }
}

/** @param {string} file */
function isElf(file) {
  const head = Buffer.alloc(4);
  const opened = openSync(file, 'r');
  try {
    readSync(opened, head, 0, 4, 0);
  } finally {
    closeSync(opened);
  }
  return head.equals(Buffer.from('\u007fELF', 'latin1'));
}
