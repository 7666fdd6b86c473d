import { statfs } from 'node:fs/promises';

/** Resolves with the bytes that are free on the disk of each folder. Leaves out folders whose disk does not tell. Never rejects. */
export async function freeSpaces(folders: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const free = new Map<string, number>();
  for (const folder of folders) {
    try {
      const { bavail, bsize } = await statfs(folder);
      free.set(folder, bavail * bsize);
    } catch {
      // the folder is gone, or its disk does not answer
    }
  }
  return free;
}
