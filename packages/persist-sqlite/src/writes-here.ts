import { closeSync, fdatasync, openSync } from 'node:fs';
import { promisify } from 'node:util';
import type { Platform, Timer } from '@conv/core/platform';
import { flushPace } from '@conv/store-kit';
import type { AcquireInput, AppendItem, AppendOutcome, Head } from './calls.ts';
import type { DatabaseReads } from './database-reads.ts';
import type { DatabaseThread } from './database-thread.ts';
import type { FirstWrites } from './database/first-writes.ts';
import type { ThreadSettings } from './database/database-server.ts';
import { nodeSqlite } from './driver.ts';

const flush = promisify(fdatasync);

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

  /** Acquires a conversation that is there, durably, before a thread was started. Resolves with `undefined` if the thread must do it. */
  async acquire(input: AcquireInput): Promise<Head | undefined> {
    const { thread, held } = this.#parts;
    if (this.#isOff || thread.isStarted || input.create === 'must') return undefined;
    let head: Head | undefined;
    try {
      const writes = await this.#begun();
      // fence: a thread that was started during the await would not know of this owner, and give the conversation up
      if (thread.isStarted) return undefined;
      head = writes.acquire(input, held());
      this.#acquired.set(head.key, head.epoch);
      await this.#flushLog();
      writes.mark(input.id, head);
      this.#startLater();
      return head;
    } catch {
      if (head) this.#acquired.delete(head.key);
      return undefined;
    }
  }

  /** Learns that a journal has a conversation that was acquired. */
  kept({ key }: Head): void {
    this.#acquired.delete(key);
  }

  /** Stores a commit, durably, if that may hold up the process. Resolves with `undefined` if the thread must do it. */
  async store(item: AppendItem, journal: object): Promise<AppendOutcome | undefined> {
    const { platform, thread } = this.#parts;
    if (this.#isOff || item.body.length > LONGEST || !flushPace.mayBlock(journal, platform.monotonic()))
      return undefined;
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
      // a log that stays long costs time at the next opening, and nothing else
      thread.call('checkpoint').catch(() => {});
    }
    return outcome;
  }

  /** Starts the thread soon, unless there is one. */
  #startLater(): void {
    const { thread, platform } = this.#parts;
    if (thread.isStarted || this.#starting) return;
    const start = (): void => {
      this.#starting = undefined;
      thread.start();
    };
    this.#starting = platform.setTimer(THREAD_LATER, start, { background: true });
  }

  async #begun(): Promise<FirstWrites> {
    const { reads, thread } = this.#parts;
    const attached = thread.hasAnswered;
    try {
      return await (this.#writes ??= reads.writer(attached));
    } catch (error) {
      // in front of the thread, there may be no database yet
      this.#writes = undefined;
      this.#isOff = attached;
      throw error;
    }
  }

  /** Flushes the write-ahead log without holding up the process. */
  async #flushLog(): Promise<void> {
    const { settings, platform } = this.#parts;
    const start = platform.monotonic();
    const log = openSync(`${settings.file}-wal`, 'r+');
    try {
      await flush(log);
    } finally {
      // no lock of SQLite is on this file, which closing it would drop
      closeSync(log);
    }
    flushPace.flushed(this, start, platform.monotonic(), false);
  }
}
