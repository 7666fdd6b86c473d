import { StoreError } from '@conv/core/store';
import { networkFileSystem } from '@conv/store-kit/system';
import type { Disk } from './disk.ts';

/**
 * Throws `UNSUPPORTED` for a folder on a network file system. There one writer per conversation cannot be kept: whether the
 * next epoch is there is answered from a cache. FUSE is refused because most of it is a network; what lies behind is not told.
 */
export function refuseNetworkMount(disk: Disk, directory: string): void {
  const name = networkFileSystem(disk.fileSystem(directory));
  if (name === undefined) return;
  const advice = 'use another store, or allowNetworkMount when one machine alone uses the folder';
  throw new StoreError(
    'UNSUPPORTED',
    `store ${directory} is on ${name}, where one writer per conversation cannot be kept: ${advice}`,
  );
}
