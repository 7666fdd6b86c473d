import { execFileSync } from 'node:child_process';
import { constants, copyFileSync, existsSync, lstatSync, mkdirSync, readdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root of the repository that this program belongs to. */
export const repositoryRoot: string = resolve(dirname(fileURLToPath(import.meta.url)), '../../../..');

const LEFT_OUT = new Set(['.git', '.cache', '.turbo', 'coverage', 'dist', 'node_modules', 'workspace']);

/** Copies the repository's own files: what git tracks, or everything but what is made where there is no git. */
export function copyRepository(target: string, root: string = repositoryRoot): void {
  const made = new Set<string>();
  for (const file of trackedFiles(root) ?? filesUnder(root)) {
    const source = join(root, file);
    if (!existsSync(source) || !lstatSync(source).isFile()) continue;
    const copy = join(target, file);
    const folder = dirname(copy);
    if (!made.has(folder)) mkdirSync(folder, { recursive: true });
    made.add(folder);
    copyFileSync(source, copy, constants.COPYFILE_FICLONE);
  }
}

/** The files below a folder, as paths relative to it, in order. Symbolic links are none. */
function filesUnder(root: string, folder = ''): readonly string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return LEFT_OUT.has(entry.name) ? [] : filesUnder(root, path);
    return entry.isFile() ? [path] : [];
  });
}

function trackedFiles(root: string): readonly string[] | undefined {
  try {
    const listed = execFileSync(
      'git',
      ['-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null', '-C', root, 'ls-files', '-z'],
      {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      },
    );
    const files = listed.split('\0').filter((file) => file !== '');
    return files.length > 0 ? files : undefined;
  } catch {
    // no git, no repository of git, or one of another user
    return undefined;
  }
}
