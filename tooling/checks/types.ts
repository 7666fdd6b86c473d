import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import { root as workspace } from '../bootstrap/process.mjs';
import { inParallel, run } from './command.ts';
import { allPackages } from './packages.ts';
import { type Report, runCheck } from './report.ts';

/** The part of a package's `tsconfig.json` that is read. */
interface Config {
  readonly extends: string;
  readonly compilerOptions: Readonly<Record<string, unknown>>;
  readonly include: readonly string[];
}

/**
 * Checks the types of all packages, as the `typecheck` script of each does alone. Packages with equal options are one program for
 * the compiler, because most of its work is what they share: the libraries of the language, of Node and of zod, and each other's
 * declarations.
 */
export async function checkTypes(root: string): Promise<Report> {
  const packages = allPackages(root).filter(({ manifest }) => manifest.scripts?.['typecheck'] !== undefined);
  const groups = Map.groupBy(packages, ({ dir }) => JSON.stringify(configOf(root, dir).compilerOptions));
  const work = mkdtempSync(join(tmpdir(), 'conv-types-'));
  try {
    const programs = [...groups.values()].map((group, at) => {
      const dirs = group.map(({ dir }) => dir);
      const file = join(work, `${at}.json`);
      writeFileSync(file, JSON.stringify(programOf(root, dirs)));
      return { file, dirs };
    });
    const checked = await inParallel(programs, availableParallelism(), ({ file }) => check(root, file));
    const files = checked.flatMap(({ seen }) => seen);
    const unseen = packages.filter(({ dir }) => !files.some((file) => file.startsWith(join(root, dir) + sep)));
    return {
      saw: { packages: packages.length, programs: programs.length, files: files.length },
      problems: [
        ...unseen.map(({ dir }) => `${dir}: no file is in a program; see its tsconfig.json`),
        ...checked.flatMap(({ problems }) => problems),
      ],
    };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function configOf(root: string, dir: string): Config {
  return JSON.parse(readFileSync(join(root, dir, 'tsconfig.json'), 'utf8').replaceAll(/^ *\/\/.*$/gm, '')) as Config;
}

/** Returns the `tsconfig.json` of packages that have the same options. */
function programOf(root: string, dirs: readonly string[]): Config {
  const configs = dirs.map((dir) => ({ dir, ...configOf(root, dir) }));
  const [first] = configs;
  if (!first) throw new Error('expected a package with types, found none');
  // the types of Node are those of the tools: each package has the same
  const typeRoots = [join(workspace, 'tooling/node_modules/@types')];
  return {
    extends: join(root, first.dir, first.extends),
    compilerOptions: { ...first.compilerOptions, typeRoots },
    include: configs.flatMap(({ dir, include }) => include.map((path) => join(root, dir, path))),
  };
}

/** Resolves with the own files of a program, and a line for each problem in it. */
async function check(root: string, file: string): Promise<{ readonly seen: string[]; readonly problems: string[] }> {
  // the compiler in Go infers shared types once more in each of its threads
  const args = ['-p', file, '--singleThreaded', '--listFiles', '--pretty', 'false'];
  const { status, output } = await run('tsc', args, root);
  const lines = output.split('\n').filter(Boolean);
  const isFile = (line: string): boolean => line.startsWith(root + sep) && !/\(\d+,\d+\): /.test(line);
  const seen = lines.filter((line) => isFile(line) && !/\/(?:node_modules|dist)\//.test(line));
  const problems = lines.filter((line) => !isFile(line) && !line.startsWith(sep));
  if (status !== 0 && problems.length === 0) problems.push(`the compiler ended with ${status}`);
  return { seen, problems };
}

if (import.meta.main) await runCheck('types', checkTypes);
