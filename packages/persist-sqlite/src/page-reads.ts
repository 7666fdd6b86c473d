import type { Platform } from '@conv/core/platform';
import { isStoreError } from '@conv/core/store';
import type { PageSelection } from '@conv/store-kit';
import type { FirstReads } from './database/first-reads.ts';
import type { SqliteRow } from './driver.ts';

/** Milliseconds of a page up to which the next one may hold up the process; of a longer page, the way through a thread is a small part. */
const WORTH_BLOCKING = 2;
/** The cost in milliseconds that a failure counts as, so that some twenty fast pages of a thread go before the next attempt. */
const FAILED = 1000;

type Page = readonly SqliteRow[];

/** The two places where pages are read. */
export interface PagePlaces {
  /** Makes a connection in the calling thread, `attached` beside that of the thread; `undefined` if there can be none. */
  readonly here: ((attached: boolean) => Promise<FirstReads>) | undefined;
  readonly there: (selection: PageSelection) => Promise<Page>;
}

/**
 * Pages of lists. They are read in the calling thread as long as the last pages took a moment, because the way to a thread and back takes longer than
 * such a page does (docs/decisions/0196-short-pages-of-sqlite-are-read-at-once.md).
 *
 * Invariant: the thread decides. A page that fails here is read again by the thread, unless the file that is open has lost its name.
 */
export class PageReads {
  readonly #places: PagePlaces;
  readonly #platform: Platform;
  #reads: Promise<FirstReads> | undefined;
  /** The cost of the last page, or less if the pages before it were much faster. */
  #cost: number;
  /** True if the thread has the database open. */
  #isAttached = false;

  constructor(places: PagePlaces, platform: Platform) {
    this.#places = places;
    this.#platform = platform;
    this.#cost = places.here ? 0 : Infinity;
  }

  /** Resolves with the rows of a page. Rejects as the thread does. */
  async page(selection: PageSelection): Promise<Page> {
    // the children of some conversations may be very many, which are sorted
    if (selection.parentIds !== undefined || this.#cost > WORTH_BLOCKING) return this.#byThread(selection);
    try {
      return await this.#here(selection);
    } catch (error) {
      if (isStoreError(error)) throw error;
      this.#cost = FAILED;
    }
    try {
      return await this.#byThread(selection);
    } finally {
      // behind the answer of the thread, whose connection keeps this one from being the last
      void this.close();
    }
  }

  /** Closes the connection of the calling thread. */
  async close(): Promise<void> {
    const reads = this.#reads;
    this.#reads = undefined;
    (await reads?.catch(() => undefined))?.close();
  }

  async #here(selection: PageSelection): Promise<Page> {
    const reads = await (this.#reads ??= this.#places.here?.(this.#isAttached));
    if (!reads) throw new Error('pages are read by a thread');
    reads.assertInPlace();
    const start = this.#platform.monotonic();
    const page = reads.list(selection);
    this.#took(start);
    return page;
  }

  async #byThread(selection: PageSelection): Promise<Page> {
    const start = this.#platform.monotonic();
    const page = await this.#places.there(selection);
    // it opens no database that is not there
    if (page.length > 0) this.#isAttached = true;
    this.#took(start);
    return page;
  }

  /** A single slow page is enough to read in the thread; several fast pages are needed to read here again. */
  #took(start: number): void {
    const cost = this.#platform.monotonic() - start;
    this.#cost = cost > this.#cost ? cost : this.#cost * 0.75 + cost * 0.25;
  }
}
