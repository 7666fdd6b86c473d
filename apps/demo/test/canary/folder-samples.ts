import { closeSync, fstatSync, openSync, readdirSync, readSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';

/** A piece of a file, as it was at some time. */
export interface Sample {
  readonly file: string;
  readonly bytes: Buffer;
}

interface Seen {
  readonly inode: number;
  readonly size: number;
  readonly changed: number;
}

const OVERLAP = 4096;
const INTERVAL = 100;

/**
 * Samples the files of a folder while programs work in it, again and again, and whenever `take` is called. Of a file that only
 * grew the new part is kept; a file that changed otherwise is kept whole.
 */
export class FolderSamples implements Disposable {
  readonly samples: Sample[] = [];
  readonly #folder: string;
  readonly #seen = new Map<string, Seen>();
  readonly #timer: NodeJS.Timeout;

  constructor(folder: string) {
    this.#folder = folder;
    this.#timer = setInterval(() => this.take(), INTERVAL);
  }

  take(): void {
    for (const file of filesIn(this.#folder)) this.#look(file);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  #look(file: string): void {
    const before = this.#seen.get(file);
    if (before && isSame(before, statSync(file, { throwIfNoEntry: false }))) return;
    const handle = opened(file);
    if (handle === undefined) return;
    try {
      const { ino: inode, size, mtimeMs: changed } = fstatSync(handle);
      const grew = before?.inode === inode && size > before.size;
      const start = grew ? Math.max(0, before.size - OVERLAP) : 0;
      const bytes = Buffer.alloc(size - start);
      const length = readSync(handle, bytes, 0, bytes.length, start);
      this.samples.push({ file, bytes: bytes.subarray(0, length) });
      this.#seen.set(file, { inode, size, changed });
    } finally {
      closeSync(handle);
    }
  }
}

function isSame({ inode, size, changed }: Seen, now: Stats | undefined): boolean {
  return now === undefined || (now.ino === inode && now.size === size && now.mtimeMs === changed);
}

/** Returns the present files, whole. */
export function filesNow(folder: string): readonly Sample[] {
  using samples = new FolderSamples(folder);
  samples.take();
  return samples.samples;
}

function filesIn(folder: string): readonly string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return filesIn(path);
      // pipes hold nothing that could be on a disk
      return entry.isFile() ? [path] : [];
    });
  } catch {
    // it was removed meanwhile
    return [];
  }
}

function opened(file: string): number | undefined {
  try {
    return openSync(file, 'r');
  } catch {
    return undefined;
  }
}
