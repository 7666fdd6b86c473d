import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Returns the sum of the lengths of all files in a folder. */
export function bytesIn(directory: string): number {
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .reduce(
      (sum, entry) => sum + (statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false })?.size ?? 0),
      0,
    );
}
