import { StoreError } from '@conv/core/store';
import { networkFileSystem } from '@conv/store-kit/system';
import type { Disk } from './disk.ts';

/**
 * Throws `UNSUPPORTED` for a folder on a network file system. There one writer per conversation cannot be kept: a cache may hide
 * that the next epoch exists. FUSE is refused because it is usually a network, and its backend cannot be determined.
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
