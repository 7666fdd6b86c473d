import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../command.ts';
import { entriesOf, type Package } from '../packages.ts';
import { compileWith } from './compilers.ts';
import { npmInstall } from './npm-install.ts';

/** Result of using a package from outside. */
export interface Consumed {
  readonly entries: number;
  readonly compiled: number;
  readonly problems: readonly string[];
}

/**
 * Installs one package (with the tarballs it needs) into an empty project, imports it and compiles against it under the versions of
 * TypeScript that `work` holds.
 */
export async function consume(
  work: string,
  each: Package,
  needed: readonly string[],
  tarballs: ReadonlyMap<string, string>,
  versions: readonly string[],
): Promise<Consumed> {
  const dir = join(work, each.name.replace('/', '__'));
  const entries = entriesOf(each).map(({ specifier }) => specifier);
  // React parts are tested with the React of their users
  writeProject(dir, { ...reactFor(each), ...needs(needed, tarballs) }, entries);
  const failed = (what: string, output: string): Consumed => ({
    entries: 0,
    compiled: 0,
    problems: [`${each.name} ${what}\n${output.trim()}`],
  });
  const installed = await run('npm', npmInstall, dir);
  if (installed.status !== 0) return failed('does not install alone', installed.output);
  const imported = await run(process.execPath, ['use.mjs'], dir);
  if (imported.status !== 0) return failed('cannot be imported', imported.output);
  announceInstalled(dir, each);
  const problems: string[] = [];
  for (const version of versions) {
    const { status, output } = await compileWith(work, version, { dir, name: 'use.mts' });
    if (status !== 0) problems.push(`${each.name} does not compile under TypeScript ${version}\n${output}`);
  }
  return { entries: entries.length, compiled: versions.length, problems };
}

/** React for a package with parts for it: an optional peer, with types that come apart. */
function reactFor({ manifest }: Package): Readonly<Record<string, string>> {
  const peers = Object.entries(manifest.peerDependencies ?? {}).filter(([name]) => name.startsWith('react'));
  return Object.fromEntries(
    peers.flatMap(([name, range]) => [
      [name, range],
      [`@types/${name}`, range],
    ]),
  );
}

function needs(needed: readonly string[], tarballs: ReadonlyMap<string, string>): Readonly<Record<string, string>> {
  return Object.fromEntries(needed.map((name) => [name, `file:${tarballs.get(name)}`]));
}

function writeProject(dir: string, dependencies: Readonly<Record<string, string>>, entries: readonly string[]): void {
  mkdirSync(dir);
  writeFileSync(join(dir, 'package.json'), JSON.stringify({ name: 'consumer', type: 'module', dependencies }));
  const lines = entries.map((specifier, index) => `import * as m${index} from '${specifier}';`);
  const uses = entries.map((specifier, index) => `if (typeof m${index} !== 'object') throw new Error('${specifier}');`);
  for (const file of ['use.mjs', 'use.mts']) writeFileSync(join(dir, file), [...lines, ...uses].join('\n'));
}

function announceInstalled(dir: string, each: Package): void {
  const written = readFileSync(join(dir, 'node_modules/.package-lock.json'), 'utf8');
  const { packages } = JSON.parse(written) as { readonly packages: Readonly<Record<string, unknown>> };
  const names = Object.keys(packages).map((path) => path.split('node_modules/').at(-1));
  process.stdout.write(`  ${each.name} installs ${names.length} packages: ${names.join(', ')}\n`);
}
