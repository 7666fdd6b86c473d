import { join } from 'node:path';

import type { Files } from './files.ts';

const LEVELS = 2;
const MOST_ENTRIES = 500;

/**
 * Lists the files and folders in a folder, two levels deep, one path per line. Folders end with a slash; hidden entries are left
 * out.
 */
export async function viewFolder(files: Files, path: string, signal: AbortSignal): Promise<string> {
  const found: string[] = [];
  const hidden = await collect(files, path, LEVELS, found, signal);
  const shown = found.slice(0, MOST_ENTRIES);
  const notes = [
    ...(found.length > shown.length ? [`[${MOST_ENTRIES} are shown, there are more; view a folder inside.]`] : []),
    ...(hidden > 0 ? [`[${hidden} hidden in the folder itself are left out.]`] : []),
  ];
  const title = `Files and folders in ${path}, two levels deep:`;
  return [title, ...(shown.length > 0 ? shown : ['(none)']), ...notes].join('\n');
}

async function collect(
  files: Files,
  folder: string,
  levels: number,
  found: string[],
  signal: AbortSignal,
): Promise<number> {
  signal.throwIfAborted();
  const entries = await files.list(folder, signal);
  const visible = entries.filter(({ name }) => !name.startsWith('.'));
  visible.sort((one, other) => (one.name < other.name ? -1 : 1));
  for (const entry of visible) {
    if (found.length > MOST_ENTRIES) break;
    const path = join(folder, entry.name);
    found.push(entry.isFolder ? `${path}/` : path);
    // a folder that may not be read is still one line of its parent
    if (entry.isFolder && levels > 1) await collect(files, path, levels - 1, found, signal).catch(rethrowAbort(signal));
  }
  return entries.length - visible.length;
}

function rethrowAbort(signal: AbortSignal): () => void {
  return () => signal.throwIfAborted();
}
