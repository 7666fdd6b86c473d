import { StoreError } from '@conv/core/store';
import type { Disk } from './disk.ts';

/** Throws `UNAVAILABLE` if a file is in the place of the folder of a store, where every conversation would seem not to be there. */
export function refuseFile(disk: Disk, directory: string): void {
  if (disk.stat(directory)?.kind !== 'file') return;
  const message = `${directory}: expected a folder with conversations, found a file; name a folder, or open the file with its own store`;
  throw new StoreError('UNAVAILABLE', message);
}
