import { realpath } from 'node:fs/promises';
import { isAbsolute, join, relative, sep } from 'node:path';
import type { Snapshots } from '@conv/plugins';
import type { MayRead } from '@conv/server';

/** Returns a check of the folders with plugins of a project: they lie in it, also behind links, which an agent in the project may have made. */
export function within(project: string): MayRead {
  return async (directory) => {
    const [root, real] = await Promise.all([realpath(project), realpath(directory)]);
    if (isIn(real, root)) return real;
    throw new Error(`expected a folder in ${root}, found a link to ${real}; put the folder itself there`);
  };
}

/**
 * Returns a check that also refuses the folder of all copies of plugins, folders around it, and everything in it but copies. Only a caller that was given
 * a copy knows its path, because it has the digest of its content.
 */
export function copyOrOther(mayRead: MayRead, snapshots: Snapshots): MayRead {
  return async (directory) => {
    const real = await mayRead(directory);
    const all = await realOf(snapshots.folder);
    const isCopy = snapshots.around(join(snapshots.folder, relative(all, real))) !== undefined;
    if ((isIn(real, all) || isIn(all, real)) && !isCopy)
      throw new Error('expected a folder without the copies of plugins, found one with them; name one plugin');
    return real;
  };
}

/**
 * Returns a check that also refuses what agents must not see, and folders around it: programs read the copy of a plugin.
 * @param hidden files and folders
 * @param shown folders of plugins, which may lie in those
 */
export function withoutHidden(mayRead: MayRead, hidden: readonly string[], shown: readonly string[]): MayRead {
  return async (directory) => {
    const real = await mayRead(directory);
    const [secret, open] = await Promise.all([hidden, shown].map((paths) => Promise.all(paths.map(realOf))));
    const isShown = open?.some((folder) => isIn(real, folder)) === true;
    if (secret?.some((path) => isIn(path, real) || (isIn(real, path) && !isShown)) === true)
      throw new Error('expected a folder without files of the server, found one with them; name a folder beside them');
    return real;
  };
}

function isIn(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** Resolves with a path without links, or as it is where nothing is there. */
function realOf(path: string): Promise<string> {
  return realpath(path).catch(() => path);
}
