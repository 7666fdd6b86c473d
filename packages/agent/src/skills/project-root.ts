import { stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { liesIn, realFolder } from '../base/real-folder.ts';

/**
 * Resolves with the real path of the repository that a project lies in, or of the project itself outside of one. A project may use the
 * files of its repository by links. The user's home is no repository of a project in it: its agent would choose keys there.
 */
export async function projectRoot(project: string): Promise<string> {
  const [real, home] = await Promise.all([realFolder(project), realFolder(homedir())]);
  for (let folder = real; ; folder = dirname(folder)) {
    if (folder !== real && liesIn(home, folder)) return real;
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
