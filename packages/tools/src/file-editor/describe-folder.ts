import type { Stats } from 'node:fs';
import { readdir } from 'node:fs/promises';

import type { DescribedEntry } from './files.ts';

/** Lists a folder. `about` gives what is known of an entry; an entry is left out where it rejects. */
export async function describeFolder(
  path: string,
  about: (name: string) => Promise<Stats>,
): Promise<readonly DescribedEntry[]> {
  const entries = await readdir(path, { withFileTypes: true });
  const described = await Promise.all(
    entries.map(async (entry): Promise<DescribedEntry | undefined> => {
      const known = await about(entry.name).catch(() => undefined);
      return (
        known && {
          name: entry.name,
          isFolder: entry.isDirectory(),
          leadsToFolder: known.isDirectory(),
          leadsToFile: known.isFile(),
          size: known.size,
          modified: known.mtimeMs,
        }
      );
    }),
  );
  return described.filter((entry) => entry !== undefined);
}
