import { constants } from 'node:fs';
import { type FileHandle, open, readlink, stat } from 'node:fs/promises';

import type { Access } from '../auth/access-keys.ts';
import { ApiError } from '../http/api-error.ts';
import { type AllowedFolders, PathError } from './allowed-folders.ts';

/** A file that was opened. The caller closes `handle`. */
export interface OpenFile {
  readonly handle: FileHandle;
  readonly size: number;
  /** The real path of the file. */
  readonly path: string;
  /** A path that leads to the open file, whatever is at `path` by now; `path` itself where the system has no such paths. */
  readonly place: string;
}

/** Opens a file in the allowed folders for reading, safely even if links are put in its place meanwhile. */
export async function openAllowed(folders: AllowedFolders, given: string, access: Access): Promise<OpenFile> {
  const isRefused = folders.opened(access);
  for (let tries = 3; tries > 0; tries--) {
    const path = await folders.check(given, access);
    // opening something other than a file, such as a pipe, can wait forever
    if (!(await stat(path)).isFile()) throw new ApiError(400, 'Path is not a file');
    const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    let isTaken = false;
    try {
      const opened = await handle.stat();
      const pinned = await pinnedPath(handle);
      const stands = pinned === undefined || pinned.target === path;
      isTaken = opened.isFile() && stands && !(await isRefused(opened));
      if (isTaken) return { handle, path, size: opened.size, place: pinned?.path ?? path };
    } finally {
      if (!isTaken) await handle.close();
    }
  }
  throw new ApiError(409, 'The file is being replaced; try again');
}

/** Runs work on a folder, given by its real path. Rejects {@link PathError} if a link is in its place by now. */
export async function inFolder<T>(folder: string, work: (place: string) => Promise<T>): Promise<T> {
  await using handle = await open(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  const pinned = await pinnedPath(handle);
  if (pinned !== undefined && pinned.target !== folder)
    throw new PathError('OUTSIDE', `The folder is being replaced, try again: ${folder}`);
  return await work(pinned?.path ?? folder);
}

/** On Linux: resolves with a path that leads to what was really opened, and where that is. */
async function pinnedPath({ fd }: FileHandle): Promise<{ path: string; target: string } | undefined> {
  const path = `/proc/self/fd/${fd}`;
  const target = await readlink(path).catch(() => undefined);
  return target === undefined ? undefined : { path, target };
}
