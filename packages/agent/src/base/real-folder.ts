import { realpath } from 'node:fs/promises';
import { isAbsolute, relative, sep } from 'node:path';

/** Resolves with the path of a folder without links; with the path itself if nothing is there. */
export async function realFolder(folder: string): Promise<string> {
  return realpath(folder).catch(() => folder);
}

/** True if a path is `folder` or lies in it. Both are without links. */
export function liesIn(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
