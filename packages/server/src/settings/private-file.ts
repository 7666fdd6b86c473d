import { lstat, mkdir, open, readFile, rename, rm, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import process from 'node:process';

import { checks } from '@conv/core';
import { systemPlatform, type Platform } from '@conv/core/platform';

import { withFileLock } from './file-lock.ts';
import { isMissing } from './missing-file.ts';

/**
 * Replaces the text of a file by the result of `work`, which gets `undefined` while there is no file; `undefined` leaves it unchanged. No other
 * process changes the file meanwhile. Only the owner of the file can read it: that of the file before, and else the user of this process.
 * Resolves when it is on the disk. `work` is called again once no other process can change the file.
 */
export async function changePrivateFile(
  path: string,
  work: (before: string | undefined) => string | undefined,
  platform: Pick<Platform, 'id'> = systemPlatform,
): Promise<void> {
  if (typeof path !== 'string')
    throw new TypeError(checks.wrongValue('changePrivateFile: path', 'the path of a file', path));
  // a file in a folder that is only to be read needs no lock as long as nothing changes
  if (work(await textOf(path)) === undefined) return;
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await withFileLock(path, async () => {
    const after = work(await textOf(path));
    if (after !== undefined) await replace(path, after, platform);
  });
}

/** Resolves with the text of a file; `undefined` when there is none. */
export async function textOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

async function replace(path: string, text: string, platform: Pick<Platform, 'id'>): Promise<void> {
  const temporary = `${path}.${platform.id()}.tmp`;
  try {
    await writeNew(temporary, text, path);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncFolder(dirname(path));
}

/** Writes a new file in place of another one, durably. */
async function writeNew(temporary: string, text: string, replaced: string): Promise<void> {
  const file = await open(temporary, 'wx', 0o600);
  try {
    await keepOwner(file, replaced);
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Gives the new file to the owner of the file before: after a command of root the server of another user still reads it. */
async function keepOwner(file: FileHandle, path: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  try {
    const { uid, gid } = await lstat(path);
    await file.chown(uid, gid);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
