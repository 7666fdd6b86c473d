import {
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
} from '@conv/core/store';
import { systemPlatform } from '@conv/core/platform';
import { MAX_COMMIT_BYTES, StoreUses } from '@conv/store-kit';
import { Pool } from 'pg';
import { AppendLanes } from './append-lanes.ts';
import { ChangeFeed } from './change-feed.ts';
import { connectionOf, listenTo } from './connection-config.ts';
import { checkConversation, checkRows, checkShared } from './check-conversation.ts';
import { Database } from './database.ts';
import { findHead, lostRow, mendedHead, spansOf } from './find-head.ts';
import { forkLineage, forkWhole } from './fork-conversation.ts';
import { PostgresJournal } from './journal.ts';
import { listConversations } from './list-conversations.ts';
import type { Span } from './log-parts.ts';
import { Ownership } from './ownership.ts';
import type { PostgresPool } from './postgres-pool.ts';
import { PostgresReader, toEnd } from './reader.ts';
import { settleStrays } from './strays.ts';
import { assertOptions, type PostgresStoreOptions } from './store-options.ts';

/** Stores conversations in a PostgreSQL database that any number of servers share. */
export class PostgresStore implements ConversationStore {
  readonly features: StoreFeatures = {
    durability: 'power',
    exclusion: 'cluster',
    shared: true,
    maxCommitBytes: MAX_COMMIT_BYTES,
  };
  readonly #pool: PostgresPool;
  readonly #ownsPool: boolean;
  readonly #database: Database;
  readonly #feed: ChangeFeed;
  readonly #lanes: AppendLanes;
  readonly #ownership: Ownership;
  readonly #uses: StoreUses<PostgresReader>;

  constructor(options: PostgresStoreOptions) {
    assertOptions(options);
    const { platform = systemPlatform } = options;
    const {
      schema = 'conv',
      leaseTimeout = 15_000,
      requestTimeout = 10_000,
      answerTimeout = 30_000,
      pollInterval = 250,
    } = options;
    this.#ownsPool = options.pool === undefined;
    this.#pool = options.pool ?? new Pool(connectionOf(options));
    this.#pool.on('error', ignoreIdle);
    const migrate = options.migrate ?? true;
    this.#database = new Database({ platform, pool: this.#pool, schema, migrate, requestTimeout, answerTimeout });
    this.#feed = new ChangeFeed(this.#database, { listen: listenTo(options), pollInterval });
    this.#lanes = new AppendLanes(this.#database);
    this.#ownership = new Ownership(this.#database, leaseTimeout);
    this.#uses = new StoreUses(`schema ${schema}`);
  }

  async open(id: string, options: OpenOptions): Promise<Journal> {
    return this.#uses.open(id, options, (dashed) => this.#acquire(dashed, options));
  }

  async read(id: string): Promise<JournalReader | undefined> {
    const dashed = this.#uses.id(id);
    return this.#uses.run(() => this.#read(dashed));
  }

  async list(query: ListQuery = {}): Promise<ListPage> {
    this.#uses.assertOpen();
    return this.#uses.run(() => listConversations(this.#database, query));
  }

  async fork(id: string, newId: string, options: ForkOptions): Promise<void> {
    const [from, to] = [this.#uses.id(id), this.#uses.id(newId)];
    await this.#uses.run(async () => {
      const source = await this.#read(from);
      if (!source) throw new StoreError('NOT_FOUND', `conversation ${from} is not in this store`);
      try {
        await (options.from === undefined ? forkWhole : forkLineage)(this.#database, source, to, options);
      } finally {
        await source.close();
      }
    });
  }

  async delete(id: string): Promise<void> {
    const dashed = this.#uses.id(id);
    await this.#uses.run(async () => {
      const key = await this.#ownership.remove(dashed);
      if (key !== undefined) this.#feed.announce(key);
      else if (await findHead(this.#database, dashed)) throw lostRow(dashed, this.#database);
    });
  }

  async check(id: string | undefined, options: CheckOptions = {}): Promise<CheckResult> {
    this.#uses.assertOpen();
    options.signal?.throwIfAborted();
    const { repair = false } = options;
    if (id === undefined)
      return this.#uses.run(async () => ({ commits: 0, events: 0, findings: await checkShared(this.#database) }));
    const dashed = this.#uses.id(id);
    return this.#uses.run(async () => {
      const rows = await checkRows(this.#database, dashed, repair);
      if (!rows) throw new StoreError('NOT_FOUND', `conversation ${dashed} is not in this store`);
      const reader = repair
        ? await this.#acquire(dashed, { create: 'never', owner: `repair, pid ${process.pid}` })
        : await this.#read(dashed);
      if (!reader) throw new StoreError('NOT_FOUND', `conversation ${dashed} is not in this store`);
      try {
        return await checkConversation(this.#database, reader, rows, options);
      } finally {
        await reader.close();
      }
    });
  }

  /** Closes every journal and reader, gives up all ownership, and ends the pool if it is the store's own. Idempotent. */
  close(): Promise<void> {
    return this.#uses.close(() => this.#close());
  }

  async #acquire(id: string, options: OpenOptions): Promise<PostgresJournal> {
    const head = await mendedHead(this.#database, id);
    const { row, claim } = await this.#ownership.acquire(id, options);
    const key = Number(row['o_key']);
    const end = toEnd(row['o_next_seq'], row['o_next_event']);
    const prepare = async (): Promise<readonly Span[]> => {
      if (head?.hasStrays) await settleStrays(this.#database, key, end.seq);
      return spansOf(this.#database, { key, ownFrom: Number(row['o_own_from']) });
    };
    // The claim is held from here on; give it back if the journal cannot be made.
    const spans = await prepare().catch(async (error: unknown) => {
      await this.#ownership.release(key, claim);
      throw error;
    });
    const holding = { id, key, spans, end, epoch: Number(row['o_epoch']), turn: Number(row['o_turn']) };
    const release = async (): Promise<void> => {
      this.#ownership.letGo(journal);
      await this.#ownership.release(key, claim);
    };
    const parts = { database: this.#database, feed: this.#feed, lanes: this.#lanes, release };
    const journal: PostgresJournal = new PostgresJournal(parts, holding);
    this.#ownership.hold(journal);
    return this.#uses.keep(journal);
  }

  async #read(id: string): Promise<PostgresReader | undefined> {
    const head = await findHead(this.#database, id);
    if (!head) return undefined;
    if (head.row === null) throw lostRow(id, this.#database);
    const { key, end } = head;
    const spans = await spansOf(this.#database, head);
    return this.#uses.keep(new PostgresReader(this.#database, this.#feed, { id, key, spans, end }));
  }

  async #close(): Promise<void> {
    await this.#feed.close();
    await this.#ownership.close();
    if (this.#ownsPool) await this.#pool.end();
    else this.#pool.off('error', ignoreIdle);
  }
}

/** Ignores a broken idle connection, which the pool replaces. Without a listener the event would end the process. */
function ignoreIdle(): void {}
