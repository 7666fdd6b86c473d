import { dirname } from 'node:path';
import type { Disk } from './disk.ts';
import { errorCode } from './from-fs-error.ts';

/**
 * Makes the folder of a store and those above it, each one's name durable. Others may make the same folders at the same time:
 * whoever made one waits for its name to be durable before it makes anything inside, so that only the last name of all may be
 * one that is seen and not yet durable.
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

/** A folder that may be used need not be one whose parent may be read; then it was not made by one of us. */
async function syncIfAllowed(disk: Disk, folder: string): Promise<void> {
  try {
    await disk.syncFolder(folder, 'new folder');
  } catch (error) {
    if (!['EACCES', 'EPERM', 'EROFS', 'EINVAL'].includes(errorCode(error) ?? '')) throw error;
  }
}
