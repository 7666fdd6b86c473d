import { closeSync, fdatasync, fstatSync, fsync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import type { Platform, Timer } from '@conv/core/platform';
import { StoreError } from '@conv/core/store';
import { flushPace } from '@conv/store-kit';
import type { AcquireInput, AppendItem, AppendOutcome, Head } from './calls.ts';
import type { DatabaseReads } from './database-reads.ts';
import type { DatabaseThread } from './database-thread.ts';
import type { FirstWrites } from './database/first-writes.ts';
import type { ThreadSettings } from './database/database-server.ts';
import { nodeSqlite } from './driver.ts';

/** The longest commit that is written in the calling thread, in characters. */
const LONGEST = 256 * 1024;
/** Pages in the write-ahead log after which the thread moves them into the database, as SQLite does by itself. */
const CHECKPOINT = 1000;
const PAGE = 4096;
/** Pages that a small commit changes. */
const PAGES = 4;
/** Milliseconds after which the thread of an owner starts, so that the caller can read first. */
const THREAD_LATER = 20;

/** The parts of {@link WritesHere}. */
export interface WritesHereParts {
  readonly settings: ThreadSettings;
  /** Returns the conversations that the store owns. */
  readonly held: () => ThreadSettings['held'];
  readonly platform: Platform;
  readonly reads: DatabaseReads;
  readonly thread: DatabaseThread;
}

/**
 * Writes of a store in the calling thread: the first owner, and single commits while flushes are fast. The start of a thread, or the way
 * to it and back, takes longer than such a write (docs/decisions/0201-single-commits-of-sqlite-are-written-at-once.md).
 *
 * Invariant: the thread decides. A write that fails here without an effect is done again by the thread.
 */
export class WritesHere {
  readonly #parts: WritesHereParts;
  /** Conversations that were acquired here and have no journal yet, with their epochs. */
  readonly #acquired = new Map<number, number>();
  #writes: Promise<FirstWrites> | undefined;
  #isOff: boolean;
  /** True if a flush failed, and what it may have lost was not written again. */
  #isUnflushed = false;
  /** True while the thread moves the log, which would grow under commits from here and never be begun anew. */
  #isMoving = false;
  #pages = 0;
  #starting: Timer | undefined;
  /** True if the last commits have held up the rest of the process for a while. */
  isLong: boolean = false;

  constructor(parts: WritesHereParts) {
    this.#parts = parts;
    const { driver, readOnly } = parts.settings;
    // other drivers are made for threads
    this.#isOff = readOnly || driver.module !== nodeSqlite.module;
  }

  /** Conversations that a new thread must keep as owned, beside those of the journals. */
  get held(): ThreadSettings['held'] {
    return Array.from(this.#acquired, ([key, epoch]) => ({ key, epoch }));
  }

  /**
   * Acquires a conversation that is there, durably, before a thread was started. Resolves with `undefined` if the thread must do it. Rejects
   * `UNAVAILABLE` if an earlier flush failed, and what it may have lost could not be written again.
   */
  async acquire(input: AcquireInput): Promise<Head | undefined> {
    const { thread } = this.#parts;
    if (this.#isUnflushed) await this.#restartLog();
    if (this.#isOff || thread.isStarted || input.create === 'must') return undefined;
    const writes = await this.#begun().catch(() => undefined);
    // fence: a thread that was started during the await would not know of this owner, and give the conversation up
    if (!writes || thread.isStarted) return undefined;
    return this.#acquire(writes, input);
  }

  /** Learns that a journal has a conversation that was acquired. */
  kept({ key }: Head): void {
    this.#acquired.delete(key);
  }

  /** Stores a commit, durably, if that may hold up the process. Resolves with `undefined` if the thread must do it. */
  async store(item: AppendItem, journal: object): Promise<AppendOutcome | undefined> {
    const { platform } = this.#parts;
    if (this.#isOff || this.#isUnflushed || this.#isMoving) return undefined;
    if (item.body.length > LONGEST || !flushPace.mayBlock(journal, platform.monotonic())) return undefined;
    const writes = await this.#begun().catch(() => undefined);
    if (!writes) return undefined;
    // the heartbeat needs a thread, also after the loss of one
    this.#startLater();
    const start = platform.monotonic();
    const [outcome = null] = writes.store([item]);
    this.isLong = flushPace.flushed(journal, start, platform.monotonic(), true);
    // whatever else is wrong here, nothing was stored, and the thread waits for locks
    if (outcome !== null && outcome.code !== 'FENCED' && outcome.code !== 'OUTCOME_UNKNOWN') return undefined;
    this.#pages += PAGES + item.body.length / PAGE;
    if (this.#pages > CHECKPOINT) {
      this.#pages = 0;
      this.#moveLog();
    }
    return outcome;
  }

  /** Lets the thread move the log into the database. */
  #moveLog(): void {
    const moved = (): void => {
      this.#isMoving = false;
    };
    this.#isMoving = true;
    // a log that stays long costs time at the next opening and at reads, and nothing else
    this.#parts.thread.call('checkpoint').then(moved, moved);
  }

  async #acquire(writes: FirstWrites, input: AcquireInput): Promise<Head | undefined> {
    let log: number | undefined;
    let head: Head | undefined;
    try {
      // in front of the transaction: the system tells a failed flush once to each descriptor that was open before
      log = openSync(writes.log, 'r+');
      const isNew = fstatSync(log).size === 0;
      head = writes.acquire(input, this.#parts.held());
      this.#acquired.set(head.key, head.epoch);
      await this.#flush(log, isNew ? dirname(writes.log) : undefined);
      writes.mark(input.id, head);
      this.#startLater();
      return head;
    } catch {
      if (head) await this.#giveBack(head);
      return undefined;
    } finally {
      // no lock of SQLite is on this file, which closing it would drop
      if (log !== undefined) closeSync(log);
    }
  }

  /** Gives up a conversation that was acquired in vain, also in a thread that was started meanwhile. */
  async #giveBack({ key, epoch }: Head): Promise<void> {
    this.#acquired.delete(key);
    await this.#parts.thread.call('release', key, epoch, null).catch(() => {});
    if (this.#isUnflushed) await this.#restartLog();
  }

  /**
   * Writes again what a failed flush may have lost: a later flush would not, and all that follows in the log would be lost with it.
   * Rejects `UNAVAILABLE`.
   */
  async #restartLog(): Promise<void> {
    const { thread, settings } = this.#parts;
    if (!(await thread.call('restartLog')))
      throw new StoreError(
        'UNAVAILABLE',
        `database ${settings.file}: a flush of its write-ahead log failed, and others read that log, so it cannot be written again; open the conversation again`,
      );
    this.#isUnflushed = false;
  }

  /** Starts the thread soon, unless there is one, and tries again later if it cannot be started. */
  #startLater(milliseconds: number = THREAD_LATER): void {
    const { thread, platform, settings } = this.#parts;
    if (thread.isStarted || this.#starting) return;
    const start = (): void => {
      this.#starting = undefined;
      if (!thread.start()) this.#startLater(settings.leaseTimeout / 3);
    };
    this.#starting = platform.setTimer(milliseconds, start, { background: true });
  }

  async #begun(): Promise<FirstWrites> {
    const { reads, thread } = this.#parts;
    const attached = thread.hasAnswered;
    let writes: FirstWrites;
    try {
      writes = await (this.#writes ??= reads.writer(attached));
    } catch (error) {
      // in front of the thread, there may be no database yet
      this.#writes = undefined;
      this.#isOff = attached;
      throw error;
    }
    if (!writes.isBroken && thread.keepTo(writes.place)) return writes;
    this.#isOff = true;
    throw new Error('this connection does not flush, or has another file open than the thread');
  }

  /** Flushes the write-ahead log, and the folder that has its name if that is new, without holding up the process. */
  async #flush(log: number, folder: string | undefined): Promise<void> {
    const { platform } = this.#parts;
    const start = platform.monotonic();
    try {
      const flushes = [promisify(fdatasync)(log), ...(folder === undefined ? [] : [flushFolder(folder)])];
      // all, because the descriptors are closed behind it
      for (const flushed of await Promise.allSettled(flushes)) if (flushed.status === 'rejected') throw flushed.reason;
    } catch (error) {
      this.#isUnflushed = true;
      throw error;
    }
    flushPace.flushed(undefined, start, platform.monotonic(), false);
  }
}

/** Flushes the names in a folder. */
async function flushFolder(path: string): Promise<void> {
  const folder = openSync(path, 'r');
  try {
    await promisify(fsync)(folder);
  } finally {
    closeSync(folder);
  }
}
