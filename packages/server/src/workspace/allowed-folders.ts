import type { Stats } from 'node:fs';
import { lstat, readdir, realpath, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';

import type { Access } from '../auth/access-keys.ts';

/** The reason that a path was refused. */
export type PathErrorCode = 'NOT_ABSOLUTE' | 'OUTSIDE' | 'INVALID';

/** A path that may not be used. */
export class PathError extends Error {
  override readonly name = 'PathError';
  readonly code: PathErrorCode;

  constructor(code: PathErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** The folders that clients may read and write, and the server's own files in them, which need the right to approve. */
export class AllowedFolders {
  readonly #folders: readonly string[];
  readonly #own: () => readonly string[];
  /** The folders that these are a part of. */
  readonly #whole: AllowedFolders | undefined;

  /**
   * @param folders absolute; `/` allows everything
   * @param own files and folders with the keys of the server: for callers with the right to approve alone
   */
  constructor(folders: readonly string[], own: () => readonly string[] = () => [], whole?: AllowedFolders) {
    this.#folders = folders.map((folder) => resolve(folder));
    this.#own = own;
    this.#whole = whole;
  }

  /**
   * Returns the part of these folders in `folders`, which are real paths. A link in the place of such a folder opens nothing: an agent may
   * have put it there.
   */
  part(folders: readonly string[]): AllowedFolders {
    return new AllowedFolders(folders, this.#own, this);
  }

  /**
   * Resolves with the real path of `path`, which need not exist yet. Rejects {@link PathError} when it is not absolute, when it
   * leaves the allowed folders, also through a symbolic link, and when it is a file of the server, under any of its names, unless
   * `access` may approve.
   */
  async check(path: string, access: Access = 'approver'): Promise<string> {
    const real = await this.#allowed(path);
    if (access === 'approver') return real;
    const isLinked = await hasOtherNames(real);
    await this.#refuse(path, async (own) => isInside(real, own) || (isLinked && (await holdsFile(own, real))));
    return real;
  }

  /** As {@link AllowedFolders.check}, for a folder that is read with its whole content, which may be other names of the server's files. */
  async checkTree(path: string, access: Access): Promise<string> {
    const real = await this.check(path, access);
    if (access !== 'approver')
      await this.#refuse(path, async (own) => isInside(own, real) || (await hasNamesIn(real, own)));
    return real;
  }

  /**
   * Returns a function that resolves `true` for an opened file which is another name of a file of the server, unless `access` may approve:
   * such a name may be made after the check of its path.
   */
  opened(access: Access): (file: Stats) => Promise<boolean> {
    let own: Promise<ReadonlySet<string>> | undefined;
    return async ({ dev, ino, nlink }) =>
      access !== 'approver' && nlink > 1 && (await (own ??= this.#ownFiles())).has(`${dev}:${ino}`);
  }

  async #ownFiles(): Promise<ReadonlySet<string>> {
    const found = new Set<string>();
    for (const own of this.#own())
      for await (const { dev, ino } of filesIn(await realPath(resolve(own)))) found.add(`${dev}:${ino}`);
    return found;
  }

  async #refuse(path: string, isMet: (own: string) => boolean | Promise<boolean>): Promise<void> {
    for (const own of this.#own())
      if (await isMet(await realPath(resolve(own))))
        throw new PathError('OUTSIDE', `Path holds keys of the server, which needs the right to approve: ${path}`);
  }

  async #allowed(path: string): Promise<string> {
    if (path.includes('\0')) throw new PathError('INVALID', 'Path must not contain a null character');
    if (!isAbsolute(path)) throw new PathError('NOT_ABSOLUTE', 'Path must be absolute');
    const real = await realPath(resolve(path));
    if (this.#whole) await this.#whole.#allowed(path);
    for (const folder of this.#folders) if (isInside(real, this.#whole ? folder : await realPath(folder))) return real;
    throw new PathError('OUTSIDE', `Path is outside of the allowed folders, use a path in one: ${path}`);
  }
}

/** True if `path` is `folder` or lies in it. Both are resolved. */
export function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

/** True for a file with hard links. */
async function hasOtherNames(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found?.isFile() === true && found.nlink > 1;
}

/** True if `path` is another name of the file `own`, or of a file in the folder `own`. */
async function holdsFile(own: string, path: string): Promise<boolean> {
  const { ino, dev } = await stat(path);
  for await (const found of filesIn(own)) if (found.ino === ino && found.dev === dev) return true;
  return false;
}

/** True if a file in the folder `tree` is another name of the file `own`, or of a file in the folder `own`. */
async function hasNamesIn(tree: string, own: string): Promise<boolean> {
  const linked = new Set<string>();
  for await (const { dev, ino, nlink } of filesIn(own)) if (nlink > 1) linked.add(`${dev}:${ino}`);
  // most often none, and then the tree is not walked
  if (linked.size === 0) return false;
  for await (const { dev, ino } of filesIn(tree)) if (linked.has(`${dev}:${ino}`)) return true;
  return false;
}

/**
 * Yields the entries of the files in a folder, at any depth, or of a single file. Links are not followed. A folder that cannot be
 * read hides no other: it may have been made for that.
 */
async function* filesIn(place: string): AsyncGenerator<Stats, void, undefined> {
  const found = await lstat(place).catch(() => undefined);
  if (found?.isFile() === true) yield found;
  if (found?.isDirectory() !== true) return;
  for (const name of await readdir(place).catch(() => [])) yield* filesIn(join(place, name));
}

/** Resolves with the path after following links, for the part of it that exists. */
export async function realPath(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const parent = dirname(path);
    if (code !== 'ENOENT' || parent === path) {
      if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EACCES' || code === 'ENAMETOOLONG') return path;
      throw new PathError('INVALID', `Path cannot be used: ${path}`);
    }
    return join(await realPath(parent), path.slice(parent === sep ? 1 : parent.length + 1));
  }
}
