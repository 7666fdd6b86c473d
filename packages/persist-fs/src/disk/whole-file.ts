import type { Disk } from './disk.ts';
import { ifThere, noSpace } from './from-fs-error.ts';

/** Reads a file. Throws ENOENT if it is not there. */
export function readFile(disk: Disk, path: string): Buffer {
  const file = disk.open(path, 'read');
  try {
    const bytes = Buffer.allocUnsafe(disk.size(file));
    let filled = 0;
    while (filled < bytes.length) {
      const read = disk.read(file, bytes.subarray(filled), filled);
      if (read === 0) break;
      filled += read;
    }
    return bytes.subarray(0, filled);
  } finally {
    disk.close(file);
  }
}

/** Opens a file, hands it to `use` and closes it. Returns `undefined` when it is not there. */
export function withFile<Value>(disk: Disk, path: string, use: (file: number) => Value): Value | undefined {
  const file = ifThere(() => disk.open(path, 'read'));
  if (file === undefined) return undefined;
  try {
    return use(file);
  } finally {
    disk.close(file);
  }
}

/** Writes a new file, in place of a file that was left behind. Nothing is synced. */
export function writeFile(disk: Disk, path: string, bytes: Uint8Array): void {
  const file = createFresh(disk, path);
  try {
    writeAll(disk, file, bytes, 0);
  } finally {
    disk.close(file);
  }
}

/** Writes all bytes at `position`, or throws. */
export function writeAll(disk: Disk, file: number, bytes: Uint8Array, position: number): void {
  let written = 0;
  while (written < bytes.length) {
    const count = disk.write(file, bytes.subarray(written), position + written);
    if (count === 0) throw noSpace();
    written += count;
  }
}

/** Makes a new file, in place of a file that was left behind. Returns it open. */
export function createFresh(disk: Disk, path: string): number {
  ifThere(() => disk.remove(path));
  return disk.open(path, 'create');
}
