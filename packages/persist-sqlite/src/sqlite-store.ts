import { resolve } from 'node:path';
import {
  applyPatch,
  checkOptionNames,
  describeValue,
  forkPatch,
  initialFields,
  readState,
  type OptionNames,
} from '@conv/core';
import {
  checkListQuery,
  StoreError,
  type CheckOptions,
  type CheckResult,
  type ConversationStore,
  type ForkOptions,
  type Journal,
  type JournalReader,
  type ListPage,
  type ListQuery,
  type OpenOptions,
  type StoreFeatures,
  parseListCursor,
  toListCursor,
} from '@conv/core/store';
import { systemPlatform, type Platform } from '@conv/core/platform';
import { MAX_COMMIT_BYTES, StoreUses, keptText, settingsText } from '@conv/store-kit';
import { AppendOutbox } from './append-outbox.ts';
import type { Finding } from './calls.ts';
import { ChangeFeed } from './change-feed.ts';
import { checkConversation } from './check-conversation.ts';
import { toBody, toSummary } from './commit-body.ts';
import { DatabaseThread } from './database-thread.ts';
import type { ThreadSettings } from './database/database-server.ts';
import { nodeSqlite, type SqliteDriver } from './driver.ts';
import { SqliteJournal } from './journal.ts';
import { lineageOf } from './lineage.ts';
import { refuseNetworkMount } from './network-mount.ts';
import { SqliteReader } from './reader.ts';
import { toConversationSummary } from './summary-row.ts';

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
 * Stores conversations in one SQLite file. One thread writes and another reads, so the caller's thread never waits for the disk.
 * Neither thread keeps a program running that has nothing else to do.
 */
export class SqliteStore implements ConversationStore {
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
  readonly #reads: DatabaseThread;
  readonly #outbox: AppendOutbox;
  readonly #feed: ChangeFeed;
  readonly #uses: StoreUses<SqliteReader>;
  /** True if the file was found to be on a local file system. */
  #checked = false;
  #journals = 0;

  constructor(options: SqliteStoreOptions) {
    checkOptionNames('new SqliteStore', options, NAMES);
    assertOptions(options);
    this.#options = options;
    this.#platform = options.platform ?? systemPlatform;
    this.#token = this.#platform.id();
    this.#file = resolve(options.file);
    this.#uses = new StoreUses(`database ${this.#file}`);
    this.#writes = new DatabaseThread(
      () => ({ ...this.#settings(), held: this.#held() }),
      (keys) => this.#lose(keys),
    );
    this.#reads = new DatabaseThread(() => this.#settings());
    this.#outbox = new AppendOutbox(this.#writes);
    this.#feed = new ChangeFeed(this.#file, this.#reads, options.pollInterval ?? 100, this.#platform);
  }

  async open(id: string, options: OpenOptions): Promise<Journal> {
    return this.#uses.open(id, options, async (dashed) => {
      this.#assertWritable();
      await this.#checkPlace();
      options.signal?.throwIfAborted();
      return this.#acquire(dashed, options);
    });
  }

  async read(id: string): Promise<JournalReader | undefined> {
    const dashed = this.#uses.id(id);
    return this.#uses.run(async () => {
      await this.#checkPlace();
      return this.#read(dashed);
    });
  }

  async list(query: ListQuery = {}): Promise<ListPage> {
    this.#uses.assertOpen();
    checkListQuery(query);
    const { limit = 20, page, sortBy = 'updatedAt', order = 'descending', status, parentIds } = query;
    const after = page === undefined ? undefined : parseListCursor(page);
    return this.#uses.run(async () => {
      await this.#checkPlace();
      const rows = await this.#reads.call('list', { limit: limit + 1, sortBy, order, status, parentIds, after });
      const items = rows.slice(0, limit).map(toConversationSummary);
      const last = items.at(-1);
      return {
        items,
        ...(rows.length > limit && last ? { next: toListCursor({ key: last[sortBy], id: last.id }) } : {}),
        ...(query.total === true ? { total: await this.#reads.call('count', { status, parentIds }) } : {}),
      };
    });
  }

  async fork(id: string, newId: string, options: ForkOptions): Promise<void> {
    const [from, to] = [this.#uses.id(id), this.#uses.id(newId)];
    this.#assertWritable();
    await this.#uses.run(async () => {
      await this.#checkPlace();
      if (options.from === undefined) await this.#forkWhole(from, to, options);
      else await this.#forkLineage(from, to, options);
    });
  }

  async delete(id: string): Promise<void> {
    const dashed = this.#uses.id(id);
    this.#assertWritable();
    await this.#uses.run(async () => {
      await this.#checkPlace();
      await this.#writes.call('delete', dashed);
    });
  }

  /**
   * Writes a copy of everything that is durable now into a new file, while conversations go on. Resolves when the copy is
   * complete and durable; until then there is no such file. Rejects `EXISTS`, `FULL`, `DENIED`, `UNAVAILABLE`, and `NOT_FOUND`
   * when there is no database.
   */
  async backup(file: string): Promise<void> {
    this.#uses.assertOpen();
    const to = resolve(file);
    await this.#uses.run(() => this.#apart((thread) => thread.call('copy', to)));
  }

  /**
   * Reads the whole database while conversations go on: the structure of the file, the checksum and the numbers of every commit,
   * the index of event ids. Resolves with the faults, or with an empty list. Rejects `CORRUPT` when the file is no database.
   */
  async integrityCheck(): Promise<readonly Finding[]> {
    this.#uses.assertOpen();
    return this.#uses.run(() => this.#apart((thread) => thread.call('check', undefined)));
  }

  async check(id: string | undefined, options: CheckOptions = {}): Promise<CheckResult> {
    this.#uses.assertOpen();
    options.signal?.throwIfAborted();
    const dashed = id === undefined ? undefined : this.#uses.id(id);
    if (options.repair) this.#assertWritable();
    return this.#uses.run(async () => {
      await this.#checkPlace();
      return this.#apart((thread) => this.#check(dashed, thread, options));
    });
  }

  close(): Promise<void> {
    return this.#uses.close(() => Promise.all([this.#reads.close(), this.#writes.close()]));
  }

  async #check(id: string | undefined, thread: DatabaseThread, options: CheckOptions): Promise<CheckResult> {
    const { repair = false } = options;
    if (id === undefined) return { commits: 0, events: 0, findings: await thread.call('checkShared', repair) };
    const reader = repair
      ? await this.#acquire(id, { create: 'never', owner: `repair, pid ${process.pid}` })
      : await this.#read(id);
    if (!reader) throw new StoreError('NOT_FOUND', `conversation ${id} is not in this store`);
    try {
      return await checkConversation(reader, thread, options);
    } finally {
      await reader.close();
    }
  }

  async #acquire(id: string, { create = 'ifMissing', owner }: OpenOptions): Promise<SqliteJournal> {
    const journal = this.#journals++;
    const summary = toSummary(initialFields);
    const head = await this.#writes.call('acquire', { id, create, owner, journal, summary });
    const [reads, writes, feed, outbox] = [this.#reads, this.#writes, this.#feed, this.#outbox];
    return this.#uses.keep(new SqliteJournal({ id, head, reads, feed, journal, writes, outbox }));
  }

  async #read(id: string): Promise<SqliteReader | undefined> {
    const head = await this.#reads.call('find', id);
    return head && this.#uses.keep(new SqliteReader({ id, head, reads: this.#reads, feed: this.#feed }));
  }

  async #forkWhole(id: string, newId: string, { patch }: ForkOptions): Promise<void> {
    const source = await this.#read(id);
    if (!source) throw new StoreError('NOT_FOUND', `conversation ${id} is not in this store`);
    try {
      const { key, end } = source;
      const { fields } = await readState(source);
      const own = forkPatch(fields, patch);
      const body = toBody({ id: this.#platform.id(), events: [], patch: own });
      const after = applyPatch(fields, own);
      const kept = keptText(end.seq + 1, settingsText(after));
      await this.#writes.call('fork', { key, end, newId, body, summary: toSummary(after), kept });
    } finally {
      await source.close();
    }
  }

  async #forkLineage(id: string, newId: string, options: ForkOptions): Promise<void> {
    const source = await this.#read(id);
    if (!source) throw new StoreError('NOT_FOUND', `conversation ${id} is not in this store`);
    try {
      await this.#writes.call('importConversation', await lineageOf(source, newId, options, this.#platform));
    } finally {
      await source.close();
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

  async #checkPlace(): Promise<void> {
    if (this.#checked || this.#options.allowNetworkMount) return;
    await refuseNetworkMount(this.#file);
    this.#checked = true;
  }

  #settings(): ThreadSettings {
    const { driver = nodeSqlite, readOnly = false, leaseTimeout = 15_000, busyTimeout = 5000 } = this.#options;
    return { file: this.#file, driver, readOnly, leaseTimeout, busyTimeout, token: this.#token, held: [] };
  }

  /** Returns the conversations that a new writing thread must keep as owned; the other threads own nothing. */
  #held(): ThreadSettings['held'] {
    const journals = [...this.#uses].filter((opened) => opened instanceof SqliteJournal);
    return journals.filter(({ lost }) => !lost.aborted).map(({ key, epoch }) => ({ key, epoch }));
  }

  #lose(keys: readonly number[]): void {
    for (const opened of this.#uses) {
      if (opened instanceof SqliteJournal && keys.includes(opened.key))
        opened.access.lose(new StoreError('FENCED', `conversation ${opened.id} was taken over by another owner`));
    }
  }

  #assertWritable(): void {
    if (this.#options.readOnly) throw new StoreError('DENIED', `database ${this.#file} is opened for reading alone`);
  }
}

function assertOptions({ file, leaseTimeout, busyTimeout, pollInterval }: SqliteStoreOptions): void {
  if (typeof file !== 'string' || file === '' || file === ':memory:') {
    const found = file === ':memory:' ? "':memory:'; use MemoryStore of @conv/core/store instead" : describeValue(file);
    throw new TypeError(
      `new SqliteStore: file: expected the path of a database file, such as 'conversations.db', found ${found}`,
    );
  }
  const atLeast = (name: string, value: number | undefined, least: number): void => {
    if (value !== undefined && !(value >= least))
      throw new TypeError(`${name} must be at least ${least} milliseconds, not ${value}`);
  };
  atLeast('leaseTimeout', leaseTimeout, 100);
  atLeast('busyTimeout', busyTimeout, 0);
  atLeast('pollInterval', pollInterval, 1);
}
