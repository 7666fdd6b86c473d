import { realpath, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/**
 * Resolves with the real path of the repository that a project lies in, or of the project itself outside of one. A project may use the
 * files of its repository by links.
 */
export async function projectRoot(project: string): Promise<string> {
  const real = await realpath(project).catch(() => project);
  for (let folder = real; ; folder = dirname(folder)) {
    if (await isThere(join(folder, '.git'))) return folder;
    if (dirname(folder) === folder) return real;
  }
}

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
