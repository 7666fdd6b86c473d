import type { Stats } from 'node:fs';
import { lstat, readdir, stat } from 'node:fs/promises';

/** Entries that are looked at at once. */
const AT_ONCE = 64;

/** Bytes in a block, in which systems count the space of a file. */
const BLOCK = 512;

/**
 * Resolves with the bytes on its disk that a folder and the files in it take. A file with several names counts once, and other disks do not count. Files that
 * disappear meanwhile are left out. Rejects with the error of the file system, or with the reason of `signal`.
 */
export async function bytesIn(folder: string, signal: AbortSignal): Promise<number> {
  const { dev } = await stat(folder);
  const linked = new Set<number>();
  const folders = [folder];
  let bytes = 0;
  for (let path = folders.pop(); path !== undefined; path = folders.pop()) {
    const names = (await unlessGone(readdir(path))) ?? [];
    for (let start = 0; start < names.length; start += AT_ONCE) {
      signal.throwIfAborted();
      const paths = names.slice(start, start + AT_ONCE).map((name) => `${path}/${name}`);
      const found = await Promise.all(paths.map(async (each) => [each, await unlessGone(lstat(each))] as const));
      for (const [each, about] of found) {
        if (about === undefined || about.dev !== dev || isCounted(about, linked)) continue;
        bytes += about.blocks * BLOCK;
        if (about.isDirectory()) folders.push(each);
      }
    }
  }
  return bytes;
}

/** True if another name of the file was counted. */
function isCounted(about: Stats, linked: Set<number>): boolean {
  if (about.nlink === 1 || about.isDirectory()) return false;
  if (linked.has(about.ino)) return true;
  linked.add(about.ino);
  return false;
}

async function unlessGone<Found>(looking: Promise<Found>): Promise<Found | undefined> {
  try {
    return await looking;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    // a folder may have become a file
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}
