import { resolve } from 'node:path';
import { checkOptionNames, initialFields, type OptionNames } from '@conv/core';
import {
  StoreError,
  type CheckOptions,
  type CheckResult,
  type Finding as CheckFinding,
  type ForkOptions,
  type ListPage,
  type ListQuery,
  type OpenOptions,
  type StoreFeatures,
} from '@conv/core/store';
import { systemPlatform, type Platform } from '@conv/core/platform';
import {
  BaseStore,
  checkMilliseconds,
  MAX_COMMIT_BYTES,
  selectPage,
  summaryColumns,
  summaryIn,
  type Incomplete,
} from '@conv/store-kit';
import { AppendOutbox } from './append-outbox.ts';
import type { AcquireInput, Finding, Head } from './calls.ts';
import { ChangeFeed } from './change-feed.ts';
import { checkConversation } from './check-conversation.ts';
import { checkFile } from './check-file.ts';
import { DatabaseReads } from './database-reads.ts';
import { DatabaseThread, ThreadLost } from './database-thread.ts';
import type { ThreadSettings } from './database/database-server.ts';
import { nodeSqlite, type SqliteDriver } from './driver.ts';
import { SqliteJournal } from './journal.ts';
import { LateTimes } from './late-times.ts';
import { lineageOf, wholeFork } from './fork-inputs.ts';
import { refuseNetworkMount } from './network-mount.ts';
import { SqliteReader } from './reader.ts';
import { unknownChange } from './unknown-change.ts';
import { WritesHere } from './writes-here.ts';

/** Options of a {@link SqliteStore}. */
export interface SqliteStoreOptions {
  /** Database file of all conversations. Made with its folder when it is missing. */
  readonly file: string;
  /** Library that speaks to SQLite. All users of a file in one process must use the same one. Default {@link nodeSqlite}. */
  readonly driver?: SqliteDriver;
  /** True if the store only reads: `open`, `fork` and `delete` reject `DENIED`. Default `false`. */
  readonly readOnly?: boolean;
  /** Age of an owner's heartbeat, in milliseconds, from which others may take over. At least 100. Default 15,000. */
  readonly leaseTimeout?: number;
  /** Milliseconds to wait while another process writes, before `UNAVAILABLE`. Default 5,000. */
  readonly busyTimeout?: number;
  /** Milliseconds between looks for commits of other processes, while a conversation is watched. Default 100. */
  readonly pollInterval?: number;
  /** True if the file may be on a network file system. Default `false`: the store refuses it with `UNSUPPORTED`. */
  readonly allowNetworkMount?: boolean;
  /** Gives times, timers and ids. The threads of the database have the platform of the host. Default: that, too. */
  readonly platform?: Platform;
}

const NAMES: OptionNames<SqliteStoreOptions> = {
  file: true,
  driver: true,
  readOnly: true,
  leaseTimeout: true,
  busyTimeout: true,
  pollInterval: true,
  allowNetworkMount: true,
  platform: true,
};

/**
 * Stores conversations in one SQLite file. One thread writes and another reads, so the caller's thread does not wait for the disk,
 * but for the first reads (docs/decisions/0179-first-reads-of-sqlite-need-no-thread.md), for short pages of lists
 * (docs/decisions/0196-short-pages-of-sqlite-are-read-at-once.md), and for the first owner and single commits
 * (docs/decisions/0201-single-commits-of-sqlite-are-written-at-once.md). Neither thread keeps a program running that has nothing else to do.
 */
export class SqliteStore extends BaseStore<SqliteReader> {
  readonly features: StoreFeatures = {
    durability: 'power',
    exclusion: 'kernel',
    shared: true,
    maxCommitBytes: MAX_COMMIT_BYTES,
  };
  readonly #file: string;
  readonly #options: SqliteStoreOptions;
  readonly #platform: Platform;
  readonly #token: string;
  readonly #writes: DatabaseThread;
  readonly #reads: DatabaseReads;
  readonly #here: WritesHere;
  readonly #outbox: AppendOutbox;
  readonly #late: LateTimes;
  readonly #feed: ChangeFeed;
  /** True if the file was found to be on a local file system. */
  #isPlaced = false;

  constructor(options: SqliteStoreOptions) {
    assertOptions(options);
    const file = resolve(options.file);
    super(`database ${file}`);
    this.#options = options;
    this.#platform = options.platform ?? systemPlatform;
    this.#token = this.#platform.id();
    this.#file = file;
    this.#writes = new DatabaseThread(
      () => ({ ...this.#settings(), held: this.#held() }),
      (keys) => this.#lose(keys),
    );
    this.#reads = new DatabaseReads(() => this.#settings(), this.#platform);
    const [settings, held] = [this.#settings(), () => this.#held()];
    this.#here = new WritesHere({ settings, held, platform: this.#platform, reads: this.#reads, thread: this.#writes });
    this.#outbox = new AppendOutbox(this.#writes, this.#here, this.#platform);
    this.#late = new LateTimes(this.#writes, this.#platform, settings.leaseTimeout / 3);
    this.#feed = new ChangeFeed(this.#file, this.#reads, options.pollInterval ?? 100, this.#platform);
  }

  /**
   * Writes a copy of everything that is durable now into a new file, while conversations continue. Resolves when the copy is
   * complete and durable; until then there is no such file. Rejects `EXISTS`, `FULL`, `DENIED`, `UNAVAILABLE`, and `NOT_FOUND`
   * when there is no database.
   */
  async backup(file: string): Promise<void> {
    this.assertOpen();
    const to = resolve(file);
    await this.run(`file ${to}`, () => this.#apart((thread) => thread.call('copy', to)));
  }

  /**
   * Reads the whole database while conversations continue: the structure of the file, the checksum and the numbers of every commit,
   * the index of event ids. Resolves with the faults, or with an empty list. Rejects `CORRUPT` when the file is not a database.
   */
  async integrityCheck(): Promise<readonly Finding[]> {
    this.assertOpen();
    return this.run(`database ${this.#file}`, () => this.#apart((thread) => thread.call('check')));
  }

  protected override async prepare(writes: boolean): Promise<void> {
    if (writes && this.#options.readOnly)
      throw new StoreError(
        'DENIED',
        `database ${this.#file} is opened for reading alone; open the store without readOnly to write`,
      );
    if (this.#isPlaced || this.#options.allowNetworkMount) return;
    refuseNetworkMount(this.#file);
    this.#isPlaced = true;
  }

  protected async acquire(id: string, { create = 'ifMissing', owner }: OpenOptions): Promise<SqliteJournal> {
    const summary = summaryColumns(initialFields);
    const input = { id, create, owner, summary };
    const head = (await this.#here.acquire(input)) ?? (await this.#acquireByThread(input));
    const [reads, thread, feed, outbox, late] = [this.#reads, this.#writes, this.#feed, this.#outbox, this.#late];
    const journal = new SqliteJournal({ id, head, reads, feed, thread, outbox, late, platform: this.#platform });
    this.keep(journal);
    this.#here.kept(head);
    return journal;
  }

  async #acquireByThread(input: AcquireInput): Promise<Head> {
    const acquired = this.#writes.call('acquire', input);
    this.#reads.prepare();
    return input.create === 'never' ? acquired : this.#change(input.id, acquired);
  }

  protected async find(id: string): Promise<SqliteReader | undefined> {
    const head = await this.#reads.call('find', id);
    return head && this.keep(new SqliteReader({ id, head, reads: this.#reads, feed: this.#feed }));
  }

  protected page(query: ListQuery): Promise<ListPage> {
    return selectPage(query, {
      select: async (selection) => (await this.#reads.page(selection)).map(summaryIn),
      count: (selection) => this.#reads.call('count', selection),
    });
  }

  protected async forkFrom(source: SqliteReader, id: string, options: ForkOptions): Promise<void> {
    if (options.from === undefined) {
      const input = await wholeFork(source, id, options, this.#platform);
      await this.#change(id, this.#writes.call('fork', input));
    } else {
      const input = await lineageOf(source, id, options, this.#platform);
      await this.#change(id, this.#writes.call('importConversation', input));
    }
  }

  protected async remove(id: string): Promise<void> {
    await this.#change(id, this.#writes.call('delete', id));
  }

  protected override findIncomplete(): Promise<readonly Incomplete[]> {
    return this.#apart((thread) => thread.call('incomplete'));
  }

  protected override checkShared(repair: boolean): Promise<readonly CheckFinding[]> {
    return this.#apart((thread) => thread.call('checkShared', repair));
  }

  protected override checkOpened(reader: SqliteReader, options: CheckOptions): Promise<CheckResult> {
    return this.#apart((thread) => checkConversation(reader, thread, options));
  }

  protected override async end(): Promise<void> {
    this.#late.close();
    // first, so that the thread closes the last connection, which may have to flush
    await this.#reads.close();
    await this.#writes.close();
  }

  /** Resolves as a call that makes or removes a conversation. A thread that ends before its answer may have executed the call. */
  async #change<Value>(id: string, called: Promise<Value>): Promise<Value> {
    try {
      return await called;
    } catch (error) {
      if (!(error instanceof ThreadLost)) throw error;
      throw new StoreError('OUTCOME_UNKNOWN', unknownChange(id, error.message), { cause: error });
    }
  }

  /** Runs a long action in a thread of its own, so that neither reads nor writes wait for it. */
  async #apart<Value>(action: (thread: DatabaseThread) => Promise<Value>): Promise<Value> {
    const thread = new DatabaseThread(() => this.#settings());
    try {
      return await action(thread);
    } finally {
      await thread.close();
    }
  }

  #settings(): ThreadSettings {
    const { driver = nodeSqlite, readOnly = false, leaseTimeout = 15_000, busyTimeout = 5000 } = this.#options;
    return { file: this.#file, driver, readOnly, leaseTimeout, busyTimeout, token: this.#token, held: [] };
  }

  /** Returns the conversations that a new writing thread must keep as owned; the other threads own nothing. */
  #held(): ThreadSettings['held'] {
    const journals = [...this.opened].filter((opened) => opened instanceof SqliteJournal);
    const held = journals.filter(({ lost }) => !lost.aborted).map(({ key, epoch }) => ({ key, epoch }));
    return [...held, ...this.#here.held];
  }

  #lose(keys: readonly number[]): void {
    for (const opened of this.opened) {
      if (opened instanceof SqliteJournal && keys.includes(opened.key))
        opened.writes.lose(
          new StoreError('FENCED', `conversation ${opened.id} was taken over by another process; open it again`),
        );
    }
  }
}

function assertOptions(options: SqliteStoreOptions): void {
  checkOptionNames('new SqliteStore', options, NAMES);
  checkMilliseconds('new SqliteStore', options, { leaseTimeout: 100, busyTimeout: 0, pollInterval: 1 });
  checkFile('new SqliteStore', options.file);
}
