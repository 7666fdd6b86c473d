import { constants, type BigIntStats } from 'node:fs';
import { link, lstat, mkdir, open, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import type { Platform } from '@conv/core/platform';

import { ChangedMeanwhile } from './files.ts';

/** The version of a file when it was read. A different version at the time of writing shows a concurrent change. */
export interface FileVersion {
  readonly inode: bigint;
  readonly size: bigint;
  readonly modified: bigint;
}

/** Source of names of temporary files. */
type Names = Pick<Platform, 'id'>;

export function versionOf({ ino, size, mtimeNs }: BigIntStats): FileVersion {
  return { inode: ino, size, modified: mtimeNs };
}

/**
 * Replaces a file's content. The file keeps its name, mode and owner, and a reader sees the old content or the new,
 * never a part. A file with hard links, or in a folder where nothing can be created, is written in place instead.
 */
export async function replaceFile(names: Names, path: string, bytes: Buffer, expected: FileVersion): Promise<void> {
  const { mode, uid, gid, nlink } = await lstat(path);
  if (nlink === 1) {
    const temporary = await writeBeside(temporaryPath(names, dirname(path)), bytes, mode & 0o7777, { uid, gid });
    if (temporary !== undefined) return moveOver(temporary, path, expected);
  }
  await writeInPlace(path, bytes, expected);
}

/** Makes a folder and those above it. Rejects with ENOTDIR if a file is in the way, or has the folder's own name. */
export async function makeFolder(folder: string, tries = 2): Promise<void> {
  try {
    await mkdir(folder);
  } catch (cause) {
    if (hasCode(cause, 'EEXIST')) {
      if ((await stat(folder).catch(() => undefined))?.isDirectory()) return;
      throw Object.assign(new Error(`${folder} is not a folder; name another path`, { cause }), { code: 'ENOTDIR' });
    }
    if (!hasCode(cause, 'ENOENT') || tries === 1 || dirname(folder) === folder) throw cause;
    // one folder at a time, because Node.js loops forever in a folder that accepts no folders, such as `/proc`
    await makeFolder(dirname(folder));
    await makeFolder(folder, tries - 1);
  }
}

/** Writes a new file into a folder. Rejects with EEXIST if the name is taken. */
export async function createFile(names: Names, path: string, bytes: Buffer): Promise<void> {
  const folder = dirname(path);
  const temporary = temporaryPath(names, folder);
  await writeSynced(await open(temporary, 'wx', 0o666), bytes);
  try {
    await publish(temporary, path, bytes);
  } finally {
    await rm(temporary, { force: true });
  }
  await syncFolder(folder);
}

// a link fails when the name is taken, a rename would overwrite
async function publish(temporary: string, path: string, bytes: Buffer): Promise<void> {
  try {
    await link(temporary, path);
  } catch (error) {
    if (!hasCode(error, 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK')) throw error;
    await writeSynced(await open(path, 'wx', 0o666), bytes);
  }
}

async function writeBeside(
  temporary: string,
  bytes: Buffer,
  mode: number,
  owner: { readonly uid: number; readonly gid: number },
): Promise<string | undefined> {
  let file: FileHandle;
  try {
    file = await open(temporary, 'wx', 0o600);
  } catch (error) {
    if (hasCode(error, 'EACCES', 'EPERM', 'EROFS', 'ENAMETOOLONG')) return undefined;
    throw error;
  }
  try {
    const mine = await file.stat();
    if (mine.uid !== owner.uid || mine.gid !== owner.gid) await file.chown(owner.uid, owner.gid);
    await file.chmod(mode);
    await writeSynced(file, bytes);
    return temporary;
  } catch (error) {
    await file.close().catch(() => undefined);
    await rm(temporary, { force: true });
    if (hasCode(error, 'EPERM', 'EACCES')) return undefined;
    throw error;
  }
}

async function moveOver(temporary: string, path: string, expected: FileVersion): Promise<void> {
  try {
    refuseIfChanged(path, await lstat(path, { bigint: true }), expected);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncFolder(dirname(path));
}

async function writeInPlace(path: string, bytes: Buffer, expected: FileVersion): Promise<void> {
  const file = await open(path, constants.O_WRONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    refuseIfChanged(path, await file.stat({ bigint: true }), expected);
    await file.writeFile(bytes);
    await file.truncate(bytes.length);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function writeSynced(file: FileHandle, bytes: Buffer): Promise<void> {
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}

function refuseIfChanged(path: string, about: BigIntStats, expected: FileVersion): void {
  const now = versionOf(about);
  if (now.inode !== expected.inode || now.size !== expected.size || now.modified !== expected.modified)
    throw new ChangedMeanwhile(path);
}

// a file system that cannot sync a folder has no names to lose
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, constants.O_RDONLY).catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}

function temporaryPath({ id }: Names, folder: string): string {
  return join(folder, `.${id()}.tmp`);
}

/** True if an error of the file system has one of these codes. */
export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && codes.includes(error.code);
}
