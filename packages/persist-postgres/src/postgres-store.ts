import {
  type CheckOptions,
  type CheckResult,
  type Finding,
  type ForkOptions,
  type ListPage,
  type ListQuery,
  type OpenOptions,
  type StoreFeatures,
} from '@conv/core/store';
import { systemPlatform } from '@conv/core/platform';
import { BaseStore, MAX_COMMIT_BYTES, notInStore, type Incomplete } from '@conv/store-kit';
import { Pool } from 'pg';
import { AppendLanes } from './append-lanes.ts';
import { ChangeFeed, type FeedOptions } from './change-feed.ts';
import { connectionOf, listenTo } from './connection-config.ts';
import { checkRecords, checkRows, findIncomplete } from './check-conversation.ts';
import { Database } from './database.ts';
import { findHead, lostRow, mendedHead, spansOf } from './find-head.ts';
import { forkLineage, forkWhole } from './fork-conversation.ts';
import { PostgresJournal } from './journal.ts';
import { listConversations } from './list-conversations.ts';
import { Listener } from './listener.ts';
import type { Span } from './log-parts.ts';
import { Ownership } from './ownership.ts';
import type { PostgresPool } from './postgres-pool.ts';
import { PostgresReader, toEnd } from './reader.ts';
import { settleStrays } from './strays.ts';
import { assertOptions, type PostgresStoreOptions } from './store-options.ts';

/** Stores conversations in a PostgreSQL database that any number of servers share. */
export class PostgresStore extends BaseStore<PostgresReader> {
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

  constructor(options: PostgresStoreOptions) {
    assertOptions(options);
    const { platform = systemPlatform, schema = 'conv', migrate = true } = options;
    const { leaseTimeout = 15_000, requestTimeout = 10_000, answerTimeout = 30_000, pollInterval = 250 } = options;
    super(`schema ${schema}`);
    this.#ownsPool = options.pool === undefined;
    this.#pool = options.pool ?? new Pool(connectionOf(options));
    this.#pool.on('error', ignoreIdle);
    this.#database = new Database({ platform, pool: this.#pool, schema, migrate, requestTimeout, answerTimeout });
    const place = listenTo(options);
    const listen: FeedOptions['listen'] = place && ((...listener) => new Listener(place, ...listener));
    this.#feed = new ChangeFeed(this.#database, { listen, pollInterval });
    this.#lanes = new AppendLanes(this.#database);
    this.#ownership = new Ownership(this.#database, leaseTimeout);
  }

  protected async acquire(id: string, options: OpenOptions): Promise<PostgresJournal> {
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
    return this.keep(journal);
  }

  protected async find(id: string): Promise<PostgresReader | undefined> {
    const head = await findHead(this.#database, id);
    if (!head) return undefined;
    if (head.row === null) throw lostRow(id, this.#database);
    const { key, end } = head;
    const spans = await spansOf(this.#database, head);
    return this.keep(new PostgresReader(this.#database, this.#feed, { id, key, spans, end }));
  }

  protected page(query: ListQuery): Promise<ListPage> {
    return listConversations(this.#database, query);
  }

  protected async forkFrom(source: PostgresReader, id: string, options: ForkOptions): Promise<void> {
    await (options.from === undefined ? forkWhole : forkLineage)(this.#database, source, id, options);
  }

  protected async remove(id: string): Promise<void> {
    const key = await this.#ownership.remove(id);
    if (key !== undefined) this.#feed.announce(key);
    else if (await findHead(this.#database, id)) throw lostRow(id, this.#database);
  }

  protected override findIncomplete(): Promise<readonly Incomplete[]> {
    return findIncomplete(this.#database);
  }

  protected override async checkHead(id: string, repair: boolean): Promise<readonly Finding[]> {
    const rows = await checkRows(this.#database, id, repair);
    if (!rows) throw notInStore(id);
    return rows;
  }

  protected override checkOpened(reader: PostgresReader, options: CheckOptions): Promise<CheckResult> {
    return checkRecords(this.#database, reader, options);
  }

  /** Gives up all ownership, and ends the pool if it is the store's own. */
  protected override async end(): Promise<void> {
    await this.#feed.close();
    await this.#ownership.close();
    if (this.#ownsPool) await this.#pool.end();
    else this.#pool.off('error', ignoreIdle);
  }
}

/** Ignores a broken idle connection, which the pool replaces. Without a listener the event would end the process. */
function ignoreIdle(): void {}
