import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../command.ts';
import { entriesOf, type Package } from '../packages.ts';
import { compileWith } from './compilers.ts';
import { pnpmInstall } from './pnpm-install.ts';

/**
 * Makes a project for each package below `work` and installs all of them at once. pnpm links into a package what it declares and
 * nothing else, so a dependency that a package forgot is missing here, although npm may happen to put one beside it. The programs are
 * installed by npm. Resolves with the number of packages that were installed, and rejects with the output of pnpm when it fails.
 */
export async function installConsumers(
  work: string,
  packages: readonly Package[],
  tarballs: ReadonlyMap<string, string>,
): Promise<number> {
  const all = join(work, 'consumers');
  mkdirSync(all);
  writeFileSync(join(all, 'package.json'), JSON.stringify({ name: 'consumers', private: true }));
  for (const each of packages) writeProject(projectOf(work, each), each, tarballs);
  // otherwise a package would find what another declares; types alone are left where the compiler finds them, as npm leaves them
  const { status, output } = await pnpmInstall(all, tarballs, { packages: ['*'], hoistPattern: ['@types/*'] });
  if (status !== 0) throw new Error(`the packages do not install\n${output.trim()}`);
  return readdirSync(join(all, 'node_modules/.pnpm')).filter((name) => name.includes('@')).length;
}

/** Imports a package in its project. Resolves with what is wrong. */
export async function importInto(work: string, each: Package): Promise<readonly string[]> {
  const { status, output } = await run(process.execPath, ['use.mjs'], projectOf(work, each));
  return status === 0 ? [] : [`${each.name} cannot be imported\n${output.trim()}`];
}

/**
 * Compiles all projects against their packages at once, under a version of TypeScript that `work` holds: what takes the time, the
 * libraries of the language, of Node and of zod, is the same for all. Resolves with what is wrong.
 */
export async function compileConsumers(
  work: string,
  packages: readonly Package[],
  version: string,
): Promise<readonly string[]> {
  const [name = '', ...more] = packages.map((each) => join(projectOf(work, each), 'use.mts'));
  const { status, output } = await compileWith(work, version, { dir: join(work, 'consumers'), name, more });
  return status === 0 ? [] : [`the packages do not compile under TypeScript ${version}\n${output}`];
}

function projectOf(work: string, { name }: Package): string {
  return join(work, 'consumers', name.replace('/', '__'));
}

function writeProject(dir: string, each: Package, tarballs: ReadonlyMap<string, string>): void {
  mkdirSync(dir);
  const dependencies = { ...reactFor(each), [each.name]: `file:${tarballs.get(each.name)}` };
  const name = `consumer-of-${each.name.replace(/^@conv\//, '')}`;
  writeFileSync(join(dir, 'package.json'), JSON.stringify({ name, private: true, type: 'module', dependencies }));
  const entries = entriesOf(each).map(({ specifier }) => specifier);
  const lines = entries.map((specifier, index) => `import * as m${index} from '${specifier}';`);
  const uses = entries.map((specifier, index) => `if (typeof m${index} !== 'object') throw new Error('${specifier}');`);
  for (const file of ['use.mjs', 'use.mts']) writeFileSync(join(dir, file), [...lines, ...uses].join('\n'));
}

/** React for a package with parts for it: an optional peer, with types that come apart. Its users have React, too. */
function reactFor({ manifest }: Package): Readonly<Record<string, string>> {
  const peers = Object.entries(manifest.peerDependencies ?? {}).filter(([name]) => name.startsWith('react'));
  return Object.fromEntries(
    peers.flatMap(([name, range]) => [
      [name, range],
      [`@types/${name}`, range],
    ]),
  );
}
