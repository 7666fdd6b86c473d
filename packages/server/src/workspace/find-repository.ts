import { lstat, readFile, realpath } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';

import { type AllowedFolders, PathError } from './allowed-folders.ts';

/** Folders of a repository, as real paths in allowed folders. */
export interface RepositoryPlaces {
  /** The top folder of the work tree. */
  readonly top: string;
  /** The repository's own folder, with HEAD and index. */
  readonly own: string;
  /** The folder shared with its other work trees, with settings and branches. */
  readonly common: string;
  /** Folders of objects. */
  readonly objects: readonly string[];
}

/** Bytes of a file that names another place. */
const MAX_POINTER = 8192;
/** Maximum number of folders of objects, alternates included. */
const MAX_ALTERNATES = 20;

/**
 * Resolves with the repository that a folder lies in; `undefined` when it lies in none. Rejects {@link PathError} when the
 * repository leads out of the allowed folders, by a link, a `gitdir:` file, a common folder or a folder of objects.
 */
export async function findRepository(folder: string, allowed: AllowedFolders): Promise<RepositoryPlaces | undefined> {
  const real = await realpath(folder).catch(() => undefined);
  if (real === undefined) return undefined;
  for (let top = real; ; top = dirname(top)) {
    const own = await gitFolderOf(top, allowed);
    if (own !== undefined) return placesOf(top, own, allowed);
    if (dirname(top) === top) return undefined;
  }
}

async function gitFolderOf(top: string, allowed: AllowedFolders): Promise<string | undefined> {
  const dotGit = join(top, '.git');
  const found = await lstat(dotGit).catch(() => undefined);
  if (found === undefined) return undefined;
  // a repository above the allowed folders is ignored
  if (!(await isAllowed(top, allowed))) return undefined;
  const real = await allowed.check(dotGit);
  const status = await lstat(real).catch(() => undefined);
  if (status?.isDirectory() === true) return (await isFile(join(real, 'HEAD'))) ? real : undefined;
  const target = status?.isFile() === true ? /^gitdir: (.+?)\r?\n*$/s.exec(await pointer(real))?.[1] : undefined;
  if (target === undefined) return undefined;
  const own = await allowed.check(resolve(top, target));
  return (await isFile(join(own, 'HEAD'))) ? own : undefined;
}

async function placesOf(top: string, own: string, allowed: AllowedFolders): Promise<RepositoryPlaces> {
  const shared = join(own, 'commondir');
  const common = (await isFile(shared)) ? await allowed.check(resolve(own, (await pointer(shared)).trim())) : own;
  for (const name of ['refs', 'packed-refs', 'config']) await allowed.check(join(common, name));
  for (const name of ['HEAD', 'index']) await allowed.check(join(own, name));
  return { top, own, common, objects: await objectsOf(join(common, 'objects'), allowed) };
}

/** Resolves with the repository's folder of objects and its alternates. */
async function objectsOf(first: string, allowed: AllowedFolders): Promise<readonly string[]> {
  const found: string[] = [];
  const open = [first];
  for (let next = open.shift(); next !== undefined && found.length < MAX_ALTERNATES; next = open.shift()) {
    const folder = await allowed.check(next);
    if (found.includes(folder)) continue;
    found.push(folder);
    const list = await allowed.check(join(folder, 'info', 'alternates'));
    const lines = (await isFile(list)) ? (await pointer(list)).split('\n') : [];
    open.push(...lines.filter((line) => line !== '' && !line.startsWith('#')).map((line) => resolve(folder, line)));
  }
  return found;
}

async function isAllowed(path: string, allowed: AllowedFolders): Promise<boolean> {
  try {
    await allowed.check(path);
    return true;
  } catch (error) {
    if (error instanceof PathError) return false;
    throw error;
  }
}

async function isFile(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined))?.isFile() === true;
}

async function pointer(file: string): Promise<string> {
  return (await readFile(file)).subarray(0, MAX_POINTER).toString('utf8');
}
