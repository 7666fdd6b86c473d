import { constants, type Stats } from 'node:fs';
import { lstat, open, opendir, stat, type FileHandle } from 'node:fs/promises';

/** Entries that are looked at at once. */
const AT_ONCE = 64;

/** Entries that are counted. */
const ENTRIES = 1_000_000;

/** Folders that are open at once, of the path of the folder that is counted. */
const OPEN = 32;

/** Bytes in a block, in which systems count the space of a file. */
const BLOCK = 512;

/** Characters of each end of a path that is shown, because programs make paths of any length. */
const SHOWN_END = 100;

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;

/** The space that a folder and the files in it take of their disk. */
export interface DiskUse {
  /** The bytes of all that was counted. */
  readonly bytes: number;
  /** The files that were not counted, in part of a sentence; `undefined` if all were. */
  readonly uncounted?: string | undefined;
}

/**
 * Resolves with the bytes on its disk that a folder and the files in it take. A file with several names counts once, and other disks do not count. Files that
 * disappear meanwhile are left out. Folders that this process may not read, and entries behind the first `most`, are not counted. Rejects with the error of the file
 * system, also where this process does not reach the folder, or with the reason of `signal`.
 *
 * On Linux folders are entered one by one from the one around them, so that no path is too long, and no link that takes the place of a folder is followed.
 */
export async function bytesIn(folder: string, signal: AbortSignal, most: number = ENTRIES): Promise<DiskUse> {
  const { dev } = await stat(folder);
  return new Walk(dev, signal, most).through(folder);
}

/** A folder in the path of the folder that is counted. */
interface Level {
  readonly name: Buffer;
  readonly ino: number;
  /** The names of the folders in it that are not counted yet. */
  readonly below: Buffer[];
  /** `undefined` while too many others are open. */
  handle: FileHandle | undefined;
}

class Walk {
  readonly #dev: number;
  readonly #signal: AbortSignal;
  readonly #most: number;
  readonly #linked = new Set<number>();
  readonly #levels: Level[] = [];
  #entries = 0;
  #bytes = 0;
  #uncounted: string | undefined;
  #isOver = false;

  constructor(dev: number, signal: AbortSignal, most: number) {
    this.#dev = dev;
    this.#signal = signal;
    this.#most = most;
  }

  async through(folder: string): Promise<DiskUse> {
    try {
      await this.#enter(folder, Buffer.from(folder), O_DIRECTORY);
      for (let level = this.#levels.at(-1); level; level = this.#levels.at(-1)) {
        const name = this.#isOver ? undefined : level.below.pop();
        await (name ? this.#enter(this.#path(level, name), name, O_DIRECTORY | O_NOFOLLOW) : this.#leave(level));
      }
    } finally {
      for (const { handle } of this.#levels) await handle?.close();
    }
    return { bytes: this.#bytes, uncounted: this.#uncounted };
  }

  async #enter(path: string | Buffer, name: Buffer, flags: number): Promise<void> {
    const handle = await this.#unlessClosed(open(path, O_RDONLY | flags), name);
    if (!handle) return;
    const { dev, ino } = await handle.stat().catch(async (error: unknown) => {
      await handle.close();
      throw error;
    });
    const level: Level = { name, ino, below: [], handle };
    this.#levels.push(level);
    // another disk was mounted there meanwhile
    if (dev === this.#dev) await this.#read(level);
    const above = this.#levels.at(-1 - OPEN);
    const held = above?.handle;
    if (!above || !held) return;
    above.handle = undefined;
    await held.close();
  }

  async #leave(level: Level): Promise<void> {
    const above = this.#levels.at(-2);
    if (above && !above.handle && !this.#isOver) {
      above.handle = await this.#unlessClosed(open(this.#path(level, Buffer.from('..')), O_RDONLY | O_DIRECTORY));
      const found = await above.handle?.stat();
      if (found?.ino !== above.ino || found.dev !== this.#dev) this.#end(`${this.#shown()}, which was moved meanwhile`);
    }
    this.#levels.pop();
    await level.handle?.close();
  }

  /** Counts the entries of a folder. */
  async #read(level: Level): Promise<void> {
    // names that are no text are names, too; the types of Node.js have no such option here
    const options = { encoding: 'buffer' as BufferEncoding, bufferSize: 16 * AT_ONCE };
    const entries = await this.#unlessClosed(opendir(this.#path(level), options));
    if (!entries) return;
    let names: Buffer[] = [];
    for await (const { name } of entries) {
      if (this.#entries === this.#most) {
        this.#end(`what is behind the first ${this.#most} files and folders`);
        break;
      }
      this.#entries += 1;
      names.push(name as unknown as Buffer);
      if (names.length < AT_ONCE) continue;
      await this.#look(level, names);
      names = [];
    }
    await this.#look(level, names);
  }

  async #look(level: Level, names: readonly Buffer[]): Promise<void> {
    this.#signal.throwIfAborted();
    const about = await Promise.all(
      names.map((name) => this.#unlessClosed<Stats>(lstat(this.#path(level, name)), name)),
    );
    for (const [at, name] of names.entries()) {
      const found = about[at];
      if (found === undefined || found.dev !== this.#dev || isCounted(found, this.#linked)) continue;
      this.#bytes += found.blocks * BLOCK;
      if (found.isDirectory()) level.below.push(name);
    }
  }

  /** Returns a path of a folder that is open, or of what is in it. */
  #path({ handle }: Level, ...names: readonly Buffer[]): Buffer {
    const folder =
      process.platform === 'linux' && handle
        ? [Buffer.from(`/proc/self/fd/${handle.fd}`)]
        : this.#levels.map(({ name }) => name);
    return joined([...folder, ...names]);
  }

  /** Resolves with `undefined` for what is no longer there, and for what this process may not read, which is noted. */
  async #unlessClosed<Found>(looking: Promise<Found>, ...names: readonly Buffer[]): Promise<Found | undefined> {
    try {
      return await looking;
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : '';
      if (DENIED.has(code)) this.#uncounted ??= `${this.#shown(...names)} (${code})`;
      else if (!GONE.has(code)) throw error;
      return undefined;
    }
  }

  #end(uncounted: string): void {
    this.#isOver = true;
    this.#uncounted ??= uncounted;
  }

  /** Returns a path in a text. */
  #shown(...names: readonly Buffer[]): string {
    const path = joined([...this.#levels.map(({ name }) => name), ...names]).toString();
    const text = path.replaceAll(/\p{C}/gu, '\u{FFFD}');
    return text.length <= 2 * SHOWN_END ? text : `${text.slice(0, SHOWN_END)}…${text.slice(-SHOWN_END)}`;
  }
}

/** Errors of the file system for a folder or a file that has become another one, or is no longer there. */
const GONE: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'ELOOP']);

const DENIED: ReadonlySet<string> = new Set(['EACCES', 'EPERM']);

function joined(names: readonly Buffer[]): Buffer {
  return Buffer.concat(names.flatMap((name, at) => (at === 0 ? [name] : [Buffer.from('/'), name])));
}

/** True if another name of the file was counted. */
function isCounted(about: Stats, linked: Set<number>): boolean {
  if (about.nlink === 1 || about.isDirectory()) return false;
  if (linked.has(about.ino)) return true;
  linked.add(about.ino);
  return false;
}
