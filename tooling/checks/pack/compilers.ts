import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../bootstrap/process.mjs';
import { run, type Outcome } from '../command.ts';
import { pnpmInstall } from './pnpm-install.ts';

/** The TypeScript of the workspace, which is not installed again. */
export const WORKSPACE = 'workspace';

/** Flags under which consumers compile: strict, and with the declarations of the packages checked. */
const flags = ['--noEmit', '--strict', '--skipLibCheck', 'false', '--module', 'nodenext', '--target', 'es2023'];

/**
 * Installs versions of TypeScript, beside each other, and Node's types into `work`. The projects of consumers are below it and find
 * them there, so that they are installed once for all, and an import at run time finds nothing that a package does not bring itself.
 * Rejects with the output of pnpm when that fails.
 */
export async function installCompilers(work: string, versions: readonly string[]): Promise<void> {
  const wanted = versions.filter((version) => version !== WORKSPACE);
  const aliases = wanted.map((version) => [nameOf(version), `npm:typescript@${version}`]);
  const devDependencies = { '@types/node': '22', ...Object.fromEntries(aliases) };
  writeFileSync(join(work, 'package.json'), JSON.stringify({ name: 'compilers', private: true, devDependencies }));
  const { status, output } = await pnpmInstall(work, new Map());
  if (status !== 0) throw new Error(`the compilers ${wanted.join(', ')} do not install\n${output.trim()}`);
}

/** Compiles a file of a project below `work` with a version of TypeScript that is installed there. */
export function compileWith(
  work: string,
  version: string,
  file: { readonly dir: string; readonly name: string; readonly more?: readonly string[] },
  timeout?: number,
): Promise<Outcome> {
  const home =
    version === WORKSPACE ? join(root, 'node_modules/typescript') : join(work, 'node_modules', nameOf(version));
  // the compiler in Go infers shared types once more in each of its threads; older ones have no such option
  const one = version === WORKSPACE ? ['--singleThreaded'] : [];
  const args = [join(home, 'bin/tsc'), ...flags, ...one, '--types', 'node', ...(file.more ?? []), file.name];
  return run(process.execPath, args, file.dir, timeout);
}

function nameOf(version: string): string {
  return `typescript-${version}`;
}
