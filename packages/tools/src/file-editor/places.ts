import type { Dirent, Stats } from 'node:fs';
import { lstat, readdir, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

import { describeFolder } from './describe-folder.ts';
import type { DescribedEntry } from './files.ts';
import { makeFolder } from './write-file.ts';

/** A file or a folder that can be acted on until it is disposed of. */
export interface Place extends AsyncDisposable {
  /** The path to act on. Its last part was no symbolic link, so an act must not follow a link there. */
  readonly path: string;
  /** The real path, which is the same for all names of the file. */
  readonly realPath: string;
  /** Looks at what is at the path, without following a link. */
  readonly look: () => Stats | Promise<Stats>;
}

/** Finds files and folders by the paths that the model writes. Errors of the file system pass through. */
export interface Places {
  /** Finds what is there, symbolic links followed. Rejects with ENOENT if nothing is there. */
  find(path: string, access: 'read' | 'write'): Promise<Place>;
  /** Makes the folders of a new file. A symbolic link in the last part is not followed. */
  findNew(path: string): Promise<Place>;
  /** Lists a folder. */
  list(path: string): Promise<readonly Dirent[]>;
  /** Lists a folder with sizes and times. Entries that are gone, or that lead nowhere, are left out. */
  describe(path: string): Promise<readonly DescribedEntry[]>;
  /** True if the name is taken. */
  isTaken(path: string): Promise<boolean>;
}

/** The files of this machine, as this process reaches them. */
export const machinePlaces: Places = {
  find: async (path) => placeAt(await realpath(path)),
  findNew: async (path) => {
    await makeFolder(dirname(path));
    return placeAt(join(await realpath(dirname(path)), basename(path)));
  },
  list: (path) => readdir(path, { withFileTypes: true }),
  describe: (path) => describeFolder(path, (name) => stat(join(path, name))),
  isTaken: (path) =>
    lstat(path).then(
      () => true,
      () => false,
    ),
};

function placeAt(path: string): Place {
  return { path, realPath: path, look: () => lstat(path), [Symbol.asyncDispose]: () => Promise.resolve() };
}
