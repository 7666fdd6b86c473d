import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../bootstrap/process.mjs';
import { run } from '../command.ts';
import { entriesOf, type Package } from '../packages.ts';

/** Result of using a package from outside. */
export interface Consumed {
  readonly entries: number;
  readonly compiled: number;
  readonly problems: readonly string[];
}

/** Installs one package (with the tarballs it needs) into an empty project, imports it and compiles against it. */
export async function consume(
  work: string,
  each: Package,
  needed: readonly string[],
  tarballs: ReadonlyMap<string, string>,
): Promise<Consumed> {
  const dir = join(work, each.name.replace('/', '__'));
  const entries = entriesOf(each).map(({ specifier }) => specifier);
  // parts for React are tried with the React that their users have
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
  await announceInstalled(dir, each);
  const versions = ['workspace', ...(process.env['TS_VERSIONS'] ?? '').split(' ').filter(Boolean)];
  const problems = (await compileUnder(dir, versions)).map((problem) => `${each.name} ${problem}`);
  return { entries: entries.length, compiled: versions.length, problems };
}

/** From the cache where it can be: a second run asks the network for nothing. */
const npmInstall = ['install', '--no-audit', '--no-fund', '--prefer-offline', '--no-package-lock', '--loglevel=error'];

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

async function announceInstalled(dir: string, each: Package): Promise<void> {
  const { stdout } = await run('npm', ['ls', '--all', '--parseable'], dir);
  const names = stdout.trim().split('\n').slice(1);
  const list = names.map((path) => path.split('node_modules/').at(-1)).join(', ');
  process.stdout.write(`  ${each.name} installs ${names.length} packages: ${list}\n`);
}

/** Node's types come only now, so that the import above had nothing a package does not bring itself. */
async function compileUnder(dir: string, versions: readonly string[]): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const version of versions) {
    const own = version === 'workspace';
    const wanted = ['@types/node@22', ...(own ? [] : [`typescript@${version}`])];
    const installed = await run('npm', [...npmInstall, '--no-save', ...wanted], dir);
    if (installed.status !== 0) problems.push(`cannot be tried under TypeScript ${version}\n${installed.output}`);
    const compiler = join(own ? root : dir, 'node_modules/.bin/tsc');
    const flags = ['--noEmit', '--strict', '--skipLibCheck', 'false', '--module', 'nodenext', '--target', 'es2023'];
    const compiled = await run(compiler, [...flags, '--types', 'node', 'use.mts'], dir);
    if (compiled.status !== 0) problems.push(`does not compile under TypeScript ${version}\n${compiled.output}`);
  }
  return problems;
}
