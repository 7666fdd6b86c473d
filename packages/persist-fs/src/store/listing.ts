import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { SummaryList, toConversationId, type ListPage, type ListQuery } from '@conv/core/store';
import { pathsIn } from '../disk/conversation-path.ts';
import type { Disk, DiskStat } from '../disk/disk.ts';
import { isMissing } from '../disk/from-fs-error.ts';
import { readSummary } from './summaries.ts';
import { SummaryCache, type KeptSummary } from './summary-cache.ts';

const FOLDER = /^[0-9a-f]{32}$/;
/** Folders that are read at the same time: enough to keep a device busy, and no more descriptors than that. */
const AT_ONCE = 8;
/** Folders that are looked at in one turn of the event loop. */
const PER_TURN = 32;
/** So many are looked at for each page, because that costs less than to be behind. */
const FEW = 256;
/** Milliseconds after which a change in a folder that another program made must have been seen, and those after which it is looked for. */
const [STALE, AGING] = [4000, 2000];
/** Milliseconds in which two changes may carry the same time, on file systems with fine and with coarse times. */
const [FINE, COARSE] = [100, 2000];

interface Entry {
  /** Of the files at the time of reading. */
  readonly mark: string;
  /** A change behind the reading would show in the mark. */
  readonly settled: boolean;
}

/**
 * What lists say of the conversations of a folder. Summaries are kept in memory and, when there are many, in a file beside the
 * folders; each holds as long as the small files it was made of look the same. Looking is done in slices of the event loop: for
 * every page when there are few, else as often as a change of another program must show. Conversations that come and go, and
 * those that are written here, show at once.
 */
export class Listing {
  readonly #disk: Disk;
  readonly #root: string;
  readonly #cache: SummaryCache;
  readonly #list = new SummaryList();
  readonly #entries = new Map<string, Entry>();
  readonly #changed = new Set<string>();
  /** The folder of all, when its names were read. */
  #names: Entry = { mark: '', settled: false };
  /** When the last look at all folders began; of `performance.now`. */
  #lookedAt = -Infinity;
  readonly #nameLooks = new Turns();
  readonly #looks = new Turns();
  #nextLook: Promise<void> | undefined;
  #loaded = false;
  #closed = false;

  constructor(disk: Disk, root: string) {
    this.#disk = disk;
    this.#root = root;
    this.#cache = new SummaryCache(disk, root);
  }

  /** The page that a query asks for. Rejects with what the file system says when the folder itself cannot be read. */
  async page(query: ListQuery): Promise<ListPage> {
    const age = performance.now() - this.#lookedAt;
    if (age >= STALE || this.#entries.size <= FEW) await this.#lookAtAll();
    else {
      await this.#lookAtNames();
      // what fails now is told to whoever must wait for it
      if (age >= AGING) this.#lookAtAll().catch(() => {});
    }
    return this.#list.page(query);
  }

  /** The conversation with this key may have changed, and shows what it is now from the next page on. */
  changed(key: string): void {
    this.#changed.add(key);
  }

  /** Resolves when nothing is looked at any more. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([this.#looks.done, this.#nameLooks.done]);
  }

  /** Looks at every folder; those who ask before it begins share it. */
  #lookAtAll(): Promise<void> {
    this.#nextLook ??= this.#looks.add(async () => {
      this.#nextLook = undefined;
      const began = performance.now();
      if (!this.#loaded) await this.#load();
      await this.#lookAtNames();
      await this.#refresh([...this.#entries.keys()]);
      this.#lookedAt = began;
      // nobody waits for it
      void this.#looks.add(() => this.#cache.keep(() => this.#kept()));
    });
    return this.#nextLook;
  }

  async #load(): Promise<void> {
    for await (const kept of this.#cache.load()) {
      if (this.#entries.has(kept.key)) continue;
      this.#entries.set(kept.key, { mark: kept.mark, settled: true });
      this.#list.set(kept.summary);
    }
    this.#loaded = true;
  }

  /** Finds out which conversations there are, and reads those that are new or known to have changed. */
  #lookAtNames(): Promise<void> {
    return this.#nameLooks.add(() => this.#takeNames());
  }

  async #takeNames(): Promise<void> {
    const found = markOf([this.#disk.stat(this.#root)], Date.now());
    const changed = new Set(this.#changed);
    this.#changed.clear();
    if (found.mark !== this.#names.mark || !this.#names.settled) {
      const names = new Set(await this.#readNames());
      for (const key of this.#entries.keys()) if (!names.has(key)) this.#forget(key);
      for (const key of names) if (!this.#entries.has(key)) changed.add(key);
      this.#names = found;
    }
    await this.#refresh([...changed]);
  }

  async #readNames(): Promise<string[]> {
    try {
      return (await this.#disk.readFolder(this.#root)).filter((name) => FOLDER.test(name));
    } catch (error) {
      if (isMissing(error)) return [];
      throw error;
    }
  }

  /** Reads again what does not look as it did. */
  async #refresh(keys: readonly string[]): Promise<void> {
    const stale: string[] = [];
    for (const [at, key] of keys.entries()) {
      if (at % PER_TURN === PER_TURN - 1) await setImmediate();
      if (this.#closed) return;
      const known = this.#entries.get(key);
      if (!known?.settled || this.#look(key).mark !== known.mark) stale.push(key);
    }
    const left = stale.values();
    const readSome = async (): Promise<void> => {
      for (const key of left) if (!this.#closed) await this.#read(key);
    };
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, stale.length) }, readSome));
  }

  async #read(key: string): Promise<void> {
    const entry = this.#look(key);
    const found = await readSummary(this.#disk, this.#root, key);
    if (!found || this.#isGone(key)) return this.#forget(key);
    this.#entries.set(key, { mark: entry.mark, settled: entry.settled && found.kept });
    this.#list.set(found.summary);
    if (found.kept) this.#cache.changed(key);
  }

  /** A conversation may be deleted while it is read. */
  #isGone(key: string): boolean {
    try {
      return this.#disk.stat(join(this.#root, key)) === undefined;
    } catch {
      return false;
    }
  }

  /** How the small files of a conversation look; what cannot be looked at is never settled. */
  #look(key: string): Entry {
    const { meta, baseState } = pathsIn(this.#root, toConversationId(key), join(this.#root, key));
    try {
      return markOf([this.#disk.stat(baseState), this.#disk.stat(meta)], Date.now());
    } catch {
      return { mark: '', settled: false };
    }
  }

  #forget(key: string): void {
    this.#entries.delete(key);
    this.#list.delete(toConversationId(key));
    this.#cache.changed(key);
  }

  *#kept(): Generator<KeptSummary, void, undefined> {
    for (const [key, { mark, settled }] of this.#entries) {
      const summary = settled ? this.#list.get(toConversationId(key)) : undefined;
      if (summary) yield { key, mark, summary };
    }
  }
}

/** Pieces of work, one after the other. */
class Turns {
  /** Resolves when all that was added is done. */
  done: Promise<void> = Promise.resolve();

  add(work: () => Promise<void>): Promise<void> {
    const result = this.done.then(work);
    this.done = result.catch(() => {});
    return result;
  }
}

/** What changes when one of these does; times that are younger than the steps of the file system's clock may stand for two changes. */
function markOf(stats: readonly (DiskStat | undefined)[], now: number): Entry {
  const mark = stats.map((found) => (found ? `${found.inode}.${found.size}.${found.modified}` : '')).join(' ');
  const settled = stats.every(
    (found) => !found || now - found.modified > (found.modified % 1000 === 0 ? COARSE : FINE),
  );
  return { mark, settled };
}
