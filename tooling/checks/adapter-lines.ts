import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Package } from './packages.ts';
import { codeOf } from './platform/code-of.ts';

/** The number of lines of code that an adapter of a protocol has at most: what two of them need belongs to `@conv/turns`. */
const LINES_OF_ADAPTER = 700;

/** The adapters of protocols: packages with the tag `adapter` that are built on `@conv/turns`. */
export function protocolAdapters(root: string, packages: readonly Package[]): readonly Package[] {
  return packages.filter(({ dir, manifest }) => {
    const file = join(root, dir, 'turbo.json');
    const tags: unknown = existsSync(file) ? Object(JSON.parse(readFileSync(file, 'utf8'))).tags : undefined;
    return manifest.dependencies?.['@conv/turns'] !== undefined && Array.isArray(tags) && tags.includes('adapter');
  });
}

/** Returns a problem for an adapter with too many lines, not counting comments and empty lines. */
export function adapterProblems(root: string, { dir }: Package): readonly string[] {
  const files = globSync('src/**/*.{ts,tsx}', { cwd: join(root, dir) });
  const lines = files.reduce((sum, file) => sum + linesOfCode(readFileSync(join(root, dir, file), 'utf8')), 0);
  if (lines <= LINES_OF_ADAPTER) return [];
  return [
    `${dir}: its sources have ${lines} lines of code, expected at most ${LINES_OF_ADAPTER}: move what adapters share to @conv/turns`,
  ];
}

function linesOfCode(source: string): number {
  return codeOf(source)
    .split('\n')
    .filter((line) => !['', "''"].includes(line.trim())).length;
}
