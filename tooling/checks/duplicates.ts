import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { run } from './command.ts';
import { type Report, runCheck } from './report.ts';

/** The folders of packages; sources, tests and benchmarks are compared. */
const FOLDERS = ['packages', 'testing', 'apps'];

/** The number of equal lines that make a group. */
const LINES = 10;

/** The number of tokens that a group has at least, because lists of imports are equal by nature. */
const TOKENS = 50;

/** The part of the detector's report that is read. */
interface Detected {
  readonly duplicates: readonly { readonly lines: number; readonly firstFile: Place; readonly secondFile: Place }[];
  readonly statistics: { readonly total: { readonly sources: number } };
}

interface Place {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** Finds groups of ten or more equal lines that stand in two packages. Comments do not count. */
export async function checkDuplicates(root: string): Promise<Report> {
  const folders = FOLDERS.filter((folder) => globSync(folder, { cwd: root }).length > 0);
  if (folders.length === 0) return { saw: { files: 0 }, problems: [] };
  const { duplicates, statistics } = await detect(root, folders);
  const problems = duplicates
    .map(({ lines, firstFile, secondFile }) => ({
      lines,
      here: within(root, firstFile),
      there: within(root, secondFile),
    }))
    .filter(({ lines, here, there }) => lines >= LINES && packageOf(here) !== packageOf(there))
    .map(
      ({ lines, here, there }) => `${here}: ${lines} lines stand in ${there}, too; move them where both can use them`,
    );
  return { saw: { files: statistics.total.sources }, problems: problems.toSorted() };
}

async function detect(root: string, folders: readonly string[]): Promise<Detected> {
  const output = mkdtempSync(join(tmpdir(), 'conv-duplicates-'));
  // the detector counts the steps from line to line
  const limits = ['--min-lines', String(LINES - 1), '--min-tokens', String(TOKENS), '--max-lines', '100000'];
  const files = [
    '--format',
    'typescript,tsx',
    '--pattern',
    '**/*.{ts,tsx}',
    '--ignore',
    '**/dist/**,**/node_modules/**',
  ];
  const report = ['--reporters', 'json', '--output', output, '--absolute', '--silent'];
  try {
    const { status, output: said } = await run(
      'jscpd',
      [...folders, '--mode', 'weak', ...limits, ...files, ...report],
      root,
    );
    if (status !== 0) throw new Error(`jscpd ended with ${status}: ${said}`);
    return JSON.parse(readFileSync(join(output, 'jscpd-report.json'), 'utf8')) as Detected;
  } finally {
    rmSync(output, { recursive: true, force: true });
  }
}

function within(root: string, { name, start, end }: Place): string {
  return `${relative(root, name)}:${start}-${end}`;
}

/** Returns the folder of the package that holds a file. */
function packageOf(file: string): string {
  return file.split('/', 2).join('/');
}

if (import.meta.main) await runCheck('duplicates', checkDuplicates);
