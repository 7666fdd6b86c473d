import type { Stats } from 'node:fs';
import { readdir } from 'node:fs/promises';

import type { DescribedEntry } from './files.ts';
import { isTableFull } from './refusal.ts';

/** Entries that are looked at at once. In a sandbox each may hold an open folder. */
const AT_ONCE = 64;

/**
 * Lists a folder. `about` gives what is known of an entry; an entry is left out where it rejects. Rejects if too many files are open to
 * look at one.
 */
export async function describeFolder(
  path: string,
  about: (name: string) => Promise<Stats>,
): Promise<readonly DescribedEntry[]> {
  const entries = await readdir(path, { withFileTypes: true });
  const described: DescribedEntry[] = [];
  for (let start = 0; start < entries.length; start += AT_ONCE) {
    const known = await Promise.all(
      entries.slice(start, start + AT_ONCE).map(async (entry): Promise<DescribedEntry | undefined> => {
        const stats = await about(entry.name).catch((error: unknown) => {
          if (isTableFull(error)) throw error;
          return undefined;
        });
        return (
          stats && {
            name: entry.name,
            isFolder: entry.isDirectory(),
            leadsToFolder: stats.isDirectory(),
            leadsToFile: stats.isFile(),
            size: stats.size,
            modified: stats.mtimeMs,
          }
        );
      }),
    );
    described.push(...known.filter((entry) => entry !== undefined));
  }
  return described;
}
