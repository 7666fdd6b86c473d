import { join } from 'node:path';

import type { DescribedEntry } from '../file-editor/files.ts';
import type { Workplace } from './workplace.ts';

/** Entries that one search looks at. */
const MOST_ENTRIES = 100_000;

/** Entries that are looked at before other work of the process has its turn. */
const ENTRIES_AT_ONCE = 500;

/** A file that a walk found. */
export interface FoundFile {
  readonly path: string;
  /** The path from the folder where the walk began. */
  readonly relative: string;
  readonly modified: number;
}

/** The end of a walk: true if each folder was looked at. */
export interface WalkEnd {
  readonly isWhole: boolean;
}

/**
 * Yields the files below a folder, folder by folder. Links to folders are not followed, and folders that may not be read are passed
 * over. Rejects if the folder itself cannot be read.
 * @param withHidden true if hidden files and folders are found, too
 */
export async function* walk(
  workplace: Pick<Workplace, 'files' | 'platform' | 'isPassedOver'>,
  root: string,
  { withHidden, signal }: { readonly withHidden: boolean; readonly signal: AbortSignal },
): AsyncGenerator<FoundFile, WalkEnd> {
  const waiting: string[] = [''];
  let seen = 0;
  for (let folder = waiting.shift(); folder !== undefined; folder = waiting.shift()) {
    signal.throwIfAborted();
    for (const entry of await entriesOf(workplace, join(root, folder), folder === '', signal)) {
      if (entry.name.startsWith('.') && !withHidden) continue;
      seen += 1;
      if (seen > MOST_ENTRIES) return { isWhole: false };
      if (seen % ENTRIES_AT_ONCE === 0) {
        await workplace.platform.nextTurn();
        signal.throwIfAborted();
      }
      const relative = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isFolder) waiting.push(relative);
      else if (entry.leadsToFile) yield { path: join(root, relative), relative, modified: entry.modified };
    }
  }
  return { isWhole: true };
}

async function entriesOf(
  workplace: Pick<Workplace, 'files' | 'isPassedOver'>,
  path: string,
  isRoot: boolean,
  signal: AbortSignal,
): Promise<readonly DescribedEntry[]> {
  try {
    return await workplace.files.describe(path, signal);
  } catch (error) {
    signal.throwIfAborted();
    if (isRoot || !workplace.isPassedOver(error)) throw error;
    return [];
  }
}
