import { realpath, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';

import type { InvalidFile } from './markdown-folder.ts';

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

/**
 * Rejects for a file whose link leads out of `root`. The author of a project would otherwise choose which files of this machine the model
 * is sent.
 */
export async function checkInside(path: string, root: string, invalid: InvalidFile): Promise<void> {
  let real: string;
  try {
    real = await realpath(path);
  } catch (error) {
    throw invalid(path, 'cannot be read', error);
  }
  const way = relative(root, real);
  if (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)) return;
  throw invalid(path, `expected a file in ${root}, found a link to ${real}; put the file itself into the project`);
}

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
