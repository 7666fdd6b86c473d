import type { Disk, OpenMode } from './disk.ts';
import { ifThere } from './from-fs-error.ts';

/** Opens one of our files; `undefined` if it is missing, or if something else is in its place, such as a link out of the folder. */
export function openOwn(disk: Disk, path: string, mode: Exclude<OpenMode, 'create'>): number | undefined {
  return disk.stat(path)?.kind === 'file' ? ifThere(() => disk.open(path, mode)) : undefined;
}
