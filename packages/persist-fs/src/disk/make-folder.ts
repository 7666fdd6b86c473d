import { dirname } from 'node:path';
import type { Disk } from './disk.ts';
import { errorCode } from './from-fs-error.ts';

/**
 * Makes the folder of a store and the folders above it, and makes their names durable. Other processes may make the
 * same folders at the same time. A process that made a folder waits for its name to be durable before it makes anything
 * inside. So only the last name of all may be there and not yet durable: that name is synced here.
 */
export async function makeStoreFolder(disk: Disk, path: string): Promise<void> {
  const parent = dirname(path);
  if (!disk.stat(path)) {
    await makeParents(disk, parent);
    makeIfMissing(disk, path);
    await disk.syncFolder(parent, 'new folder');
  } else if (parent !== path) await syncIfAllowed(disk, parent);
}

/** Makes one folder, unless it is there by then. */
export function makeIfMissing(disk: Disk, folder: string): void {
  try {
    disk.makeFolder(folder);
  } catch (error) {
    // A file in its place, or a link to nothing, is found by what is made inside.
    if (errorCode(error) !== 'EEXIST') throw error;
  }
}

async function makeParents(disk: Disk, path: string): Promise<void> {
  if (disk.stat(path)) return;
  const parent = dirname(path);
  await makeParents(disk, parent);
  makeIfMissing(disk, path);
  await disk.syncFolder(parent, 'new folder');
}

/** Syncs a folder if this process may read it. None of our processes made a folder that it may not read. */
async function syncIfAllowed(disk: Disk, folder: string): Promise<void> {
  try {
    await disk.syncFolder(folder, 'new folder');
  } catch (error) {
    if (!['EACCES', 'EPERM', 'EROFS', 'EINVAL'].includes(errorCode(error) ?? '')) throw error;
  }
}
