import type { Platform } from '@conv/core/platform';
import { isStoreError } from '@conv/core/store';
import type { PageSelection } from '@conv/store-kit';
import type { CommitsPart, DatabaseCalls, Reading, VerifiedPart } from './calls.ts';
import type { ThreadSettings } from './database/database-server.ts';
import { FirstReads } from './database/first-reads.ts';
import type { FirstWrites } from './database/first-writes.ts';
import { DatabaseThread } from './database-thread.ts';
import { nodeSqlite, type SqliteRow } from './driver.ts';
import { PageReads, type PagePlaces } from './page-reads.ts';

/** Reads of a store in the calling thread, after which a thread reads. Each {@link LONG} characters of commits and snapshots count as one more. */
const FIRST = 32;
const LONG = 64 * 1024;
/** Characters of commits that count as one more if their checksums alone are compared: they are neither copied nor parsed. */
const VERIFIED = 4 * LONG;

const READINGS: ReadonlySet<string> = new Set<Reading>([
  'find',
  'head',
  'commits',
  'verify',
  'span',
  'snapshot',
  'kept',
]);

/**
 * The reads of a store. The first ones are done in the calling thread, because to start a thread takes several times as long
 * (docs/decisions/0179-first-reads-of-sqlite-need-no-thread.md); all later ones in a thread.
 *
 * Invariant: the thread decides. A first read that fails is done again by the thread, and so are all after it, unless the file that was
 * opened first has lost its name.
 */
export class DatabaseReads {
  readonly #settings: () => ThreadSettings;
  readonly #platform: Platform;
  readonly #thread: DatabaseThread;
  readonly #pages: PageReads;
  #first: Promise<FirstReads> | undefined;
  /** The number of first reads that are left. */
  #left: number;
  /** True if the connection of the first reads writes, too, and stays open for that. */
  #writes = false;

  constructor(settings: () => ThreadSettings, platform: Platform) {
    this.#settings = settings;
    this.#platform = platform;
    this.#thread = new DatabaseThread(settings);
    // other drivers are made for threads
    const isOurs = settings().driver.module === nodeSqlite.module;
    this.#left = isOurs ? FIRST : 0;
    const there: PagePlaces['there'] = (selection) => this.#look().then(() => this.#thread.call('list', selection));
    const here = async (attached: boolean): Promise<FirstReads> =>
      new FirstReads({ ...settings(), attached, ...(attached && { readOnly: true }) }, platform);
    this.#pages = new PageReads({ here: isOurs ? here : undefined, there }, platform);
  }

  /** Resolves and rejects as {@link DatabaseThread.call}. */
  call<Name extends keyof DatabaseCalls>(
    name: Name,
    ...input: Parameters<DatabaseCalls[Name]>
  ): Promise<ReturnType<DatabaseCalls[Name]>> {
    const there = (): Promise<ReturnType<DatabaseCalls[Name]>> => this.#thread.call(name, ...input);
    const isShort = READINGS.has(name);
    if (this.#first === undefined && (this.#left <= 0 || !isShort)) return there();
    if (!isShort || (this.#left <= 0 && this.#writes)) return this.#look().then(there);
    return this.#here(() => this.#read(name as Reading, input) as ReturnType<typeof there>, there);
  }

  /** Resolves with the rows of a page of a list. Rejects as {@link DatabaseThread.call}. */
  page(selection: PageSelection): Promise<readonly SqliteRow[]> {
    return this.#pages.page(selection);
  }

  /** Opens the connection of the first reads, while the caller waits for a thread that writes. A failure shows at the first read. */
  prepare(): void {
    if (this.#left > 0)
      void this.#begun()
        .then((first) => first.open())
        .catch(() => {});
  }

  /** Resolves with writes by the connection of the first reads. `attached`: a thread has the database open. */
  async writer(attached: boolean): Promise<FirstWrites> {
    const first = (this.#first ??= this.#load());
    // before the wait, in which the first reads may end
    this.#writes = true;
    try {
      return (await first).writes(attached);
    } catch (error) {
      this.#writes = false;
      throw error;
    }
  }

  /** Ends the thread once all earlier calls are answered. Idempotent. */
  async close(): Promise<void> {
    this.#writes = false;
    await Promise.all([this.#pages.close(), this.#end()]);
    await this.#thread.close();
  }

  async #here<Value>(here: () => Promise<Value>, there: () => Promise<Value>): Promise<Value> {
    try {
      return await here();
    } catch (error) {
      if (isStoreError(error)) throw error;
      this.#left = 0;
    }
    try {
      return await there();
    } finally {
      // behind the answer of the thread, whose connection keeps this one from being the last
      void this.#end();
    }
  }

  async #read(name: Reading, input: readonly unknown[]): Promise<unknown> {
    const first = await this.#begun();
    const answer = first.run(name, input);
    this.#left -= 1;
    if (name === 'verify') this.#left -= (answer as VerifiedPart).characters / VERIFIED;
    if (name === 'commits') for (const { body } of (answer as CommitsPart).rows) this.#left -= body.length / LONG;
    if (name === 'snapshot') this.#left -= ((answer as ReturnType<DatabaseCalls['snapshot']>)?.data.length ?? 0) / LONG;
    return answer;
  }

  /** Resolves with the connection of the first reads, unless they are over. */
  async #begun(): Promise<FirstReads> {
    const first = await (this.#first ??= this.#load());
    first.assertInPlace();
    // fence: other reads may have used the number up, or the store was closed, during the await
    if (this.#left <= 0) throw new Error('the first reads are over');
    return first;
  }

  /** Rejects `UNAVAILABLE` as a thread that has the database open, which another one would take for a new or a damaged one. */
  async #look(): Promise<void> {
    (await this.#first?.catch(() => undefined))?.assertInPlace();
  }

  async #load(): Promise<FirstReads> {
    return new FirstReads(this.#settings(), this.#platform);
  }

  /** Ends the first reads, and closes their connection. */
  async #end(): Promise<void> {
    this.#left = 0;
    if (this.#writes) return;
    const first = this.#first;
    this.#first = undefined;
    (await first?.catch(() => undefined))?.close();
  }
}
