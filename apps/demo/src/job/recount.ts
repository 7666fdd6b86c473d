import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

/** The three facts about a folder. */
export interface Facts {
  readonly files: number;
  readonly packages: readonly string[];
  readonly tests: number;
}

/** Finds the facts without a shell and without what the agent found; its own walk, its own counting. */
export function recount(root: string): Facts {
  const files = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  const packages = files.filter((file) => basename(file) === 'package.json').map(nameIn);
  const tests = files.filter((file) => file.endsWith('.test.ts')).reduce((sum, file) => sum + testsIn(file), 0);
  return { files: files.length, packages: packages.toSorted(), tests };
}

/** The facts as `FACTS.txt` is to hold them. */
export function factsText({ files, packages, tests }: Facts): string {
  return `files: ${files}\npackages: ${packages.join(', ')}\ntests: ${tests}\n`;
}

function nameIn(file: string): string {
  const { name } = JSON.parse(readFileSync(file, 'utf8')) as { readonly name?: unknown };
  return typeof name === 'string' ? name : '';
}

function testsIn(file: string): number {
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter((line) => startsTest(line.replace(/^ +/, ''))).length;
}

function startsTest(line: string): boolean {
  return line.startsWith('test(') || line.startsWith('it(');
}
