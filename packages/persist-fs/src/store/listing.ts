import { Turns } from '@conv/core/platform';
import { join } from 'node:path';
import { toConversationId, toConversationKey, type ListPage, type ListQuery } from '@conv/core/store';
import type { Disk, DiskStat } from '../disk/disk.ts';
import { isMissing } from '../disk/from-fs-error.ts';
import { refuseFile } from '../disk/refuse-file.ts';
import { isSettled } from '../disk/settled-time.ts';
import { readSummary } from './summaries.ts';
import { SummaryCache, type KeptSummary } from './summary-cache.ts';
import { SummaryList } from './summary-list.ts';

const FOLDER = /^[0-9a-f]{32}$/;
/** Folders that are read at the same time: enough to keep a device busy, without more descriptors. */
const AT_ONCE = 8;
/** Folders that are looked at in one turn of the event loop. */
const PER_TURN = 32;
/** Up to this number of conversations, every page checks all of them, because that is cheap and shows no stale entry. */
const FEW = 256;
/** Milliseconds after which a list must have seen a change by another program, and after which it begins to look. */
const [STALE, AGING] = [4000, 2000];

interface Entry {
  /** The mark of the files at the time of reading. */
  readonly mark: string;
  /** True if a later change would show in the mark. */
  readonly settled: boolean;
}

/**
 * The summaries of the conversations of a folder, for lists. They are kept in memory and, if there are many, in a file
 * beside the folders; each holds as long as the mark of its small files stays the same. Looks are done in slices of the
 * event loop: for every page if there are few conversations, else as often as a change by another program must show.
 * New, deleted and locally written conversations show at once.
 */
export class Listing {
  readonly #disk: Disk;
  readonly #root: string;
  readonly #cache: SummaryCache;
  readonly #list = new SummaryList();
  readonly #entries = new Map<string, Entry>();
  readonly #changed = new Set<string>();
  /** The entry of the root folder, when its names were read. */
  #names: Entry = { mark: '', settled: false };
  /** The time when the last look at all folders began, of the monotonic clock. */
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

  /** Resolves with the page that a query asks for. Rejects if the folder itself cannot be read. */
  async page(query: ListQuery): Promise<ListPage> {
    const age = this.#disk.platform.monotonic() - this.#lookedAt;
    if (age >= STALE || this.#entries.size <= FEW) await this.#lookAtAll();
    else {
      await this.#lookAtNames();
      // If this look fails, the next page that must wait for a look rejects.
      if (age >= AGING) this.#lookAtAll().catch(() => {});
    }
    return this.#list.page(query);
  }

  /** Notes that the conversation with this key may have changed. The next page shows its present state. */
  changed(key: string): void {
    this.#changed.add(key);
  }

  /** Resolves when no look is under way any more. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([this.#looks, this.#nameLooks].map((turns) => turns.run(() => undefined)));
  }

  /** Looks at every folder. Calls that come before the look begins share it. */
  #lookAtAll(): Promise<void> {
    this.#nextLook ??= this.#looks.run(async () => {
      this.#nextLook = undefined;
      const began = this.#disk.platform.monotonic();
      if (!this.#loaded) await this.#load();
      await this.#lookAtNames();
      await this.#refresh([...this.#entries.keys()]);
      this.#lookedAt = began;
      // No caller waits for the file of summaries.
      void this.#looks.run(() => this.#cache.keep(() => this.#kept()));
    });
    return this.#nextLook;
  }

  async #load(): Promise<void> {
    for await (const some of this.#cache.load())
      for (const { key, mark, summary } of some) {
        if (this.#entries.has(key)) continue;
        this.#entries.set(key, { mark, settled: true });
        this.#list.set(summary);
      }
    this.#loaded = true;
  }

  /** Finds out which conversations there are, and reads the conversations that are new or have changed. */
  #lookAtNames(): Promise<void> {
    return this.#nameLooks.run(() => this.#takeNames());
  }

  async #takeNames(): Promise<void> {
    const root = this.#disk.stat(this.#root);
    const found = { mark: markOf(root), settled: isSettledFile(root, this.#disk.platform.now()) };
    const changed = new Set(this.#changed);
    this.#changed.clear();
    if (found.mark !== this.#names.mark || !this.#names.settled) {
      const names = new Set(await readKeys(this.#disk, this.#root));
      for (const key of this.#entries.keys()) if (!names.has(key)) this.#forget(key);
      for (const key of names) if (!this.#entries.has(key)) changed.add(key);
      this.#names = found;
    }
    await this.#refresh([...changed]);
  }

  /** Reads the conversations again whose mark has changed. */
  async #refresh(keys: readonly string[]): Promise<void> {
    const stale: string[] = [];
    let looked = 0;
    for (const key of keys) {
      if (++looked % PER_TURN === 0) await this.#disk.platform.nextTurn();
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

  /** Returns true if a conversation was deleted while it was read. */
  #isGone(key: string): boolean {
    try {
      return this.#disk.stat(join(this.#root, key)) === undefined;
    } catch {
      return false;
    }
  }

  /** Returns the mark of a conversation's small files. An entry is never settled if they cannot be looked at. */
  #look(key: string): Entry {
    // built without `pathsIn`, which checks the id and joins paths: in a list of very many folders that adds up
    const folder = `${this.#root}/${key}`;
    try {
      const [base, meta] = [this.#disk.stat(`${folder}/base_state.json`), this.#disk.stat(`${folder}/meta.json`)];
      const now = this.#disk.platform.now();
      return { mark: `${markOf(base)} ${markOf(meta)}`, settled: isSettledFile(base, now) && isSettledFile(meta, now) };
    } catch {
      return { mark: '', settled: false };
    }
  }

  #forget(key: string): void {
    this.#entries.delete(key);
    this.#list.delete(toConversationId(key));
    this.#cache.changed(key);
  }

  /** Yields what can be kept, in the order of a list, so that the next process has little to sort. */
  *#kept(): Generator<KeptSummary, void, undefined> {
    for (const { id } of this.#list.byChange()) {
      const key = toConversationKey(id);
      // both as they are now: the file is written in slices of the event loop
      const [entry, summary] = [this.#entries.get(key), this.#list.get(id)];
      if (entry?.settled && summary) yield { key, mark: entry.mark, summary };
    }
  }
}

/** Resolves with the names of the folders that may hold a conversation; none if the store's folder is not there. */
export async function readKeys(disk: Disk, root: string): Promise<readonly string[]> {
  try {
    return (await disk.readFolder(root)).filter((name) => FOLDER.test(name));
  } catch (error) {
    if (!isMissing(error)) throw error;
    refuseFile(disk, root);
    return [];
  }
}

/** Returns a mark that changes when a file does; empty for a missing one. */
function markOf(found: DiskStat | undefined): string {
  return found ? `${found.inode}.${found.size}.${found.modified}` : '';
}

/** False if the mark may miss a change in the same step of the clock. */
function isSettledFile(found: DiskStat | undefined, now: number): boolean {
  return !found || isSettled(found.modified, now);
}
