import type { StateFields } from '@conv/core';
import {
  StoreError,
  type Commit,
  type Journal,
  type JournalEnd,
  type NewCommit,
  type Snapshot,
  toCommitSeq,
  toEventIndex,
} from '@conv/core/store';
import type { AppendLanes } from './append-lanes.ts';
import { AppendQueue, type PendingAppend } from './append-queue.ts';
import type { ChangeFeed } from './change-feed.ts';
import { toBody } from './commit-body.ts';
import type { Database } from './database.ts';
import { LogWriter } from './log-writer.ts';
import { PostgresReader, snapshotCrc, type Head } from './reader.ts';

/** The largest commit, in bytes of JSON. */
export const MAX_COMMIT_BYTES: number = 16 * 1024 * 1024;

/** A conversation that was acquired. */
export interface Holding extends Head {
  readonly epoch: number;
  readonly turn: number;
}

/** What a journal works with. */
export interface JournalParts {
  readonly database: Database;
  readonly feed: ChangeFeed;
  readonly lanes: AppendLanes;
  /** Gives the conversation up. */
  readonly release: () => Promise<void>;
}

/** Writes one conversation: one call of the database at a time, with all commits that have come during the one before. */
export class PostgresJournal extends PostgresReader implements Journal {
  readonly epoch: number;
  readonly #writer: LogWriter;
  readonly #queue = new AppendQueue();
  readonly #lost = new AbortController();
  readonly #release: () => Promise<void>;
  #running: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  constructor({ database, feed, lanes, release }: JournalParts, holding: Holding) {
    super(database, feed, holding);
    this.epoch = holding.epoch;
    this.#writer = new LogWriter(database, lanes, holding);
    this.#release = release;
  }

  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  override async refresh(): Promise<JournalEnd> {
    if (this.lost.aborted) return super.refresh();
    this.assertOpen();
    return this.end;
  }

  append(commit: NewCommit, after: StateFields): Promise<Commit> {
    return new Promise((resolve, reject) => {
      this.#assertWritable();
      const body = toBody(commit);
      this.#queue.add({ commit, body, after, refusal: this.#refusalOf(commit.id, body), resolve, reject });
      this.#running ??= this.#run();
    });
  }

  async saveSnapshot({ seq, version, data }: Snapshot): Promise<void> {
    this.#assertWritable();
    if (seq > this.end.seq) return;
    const text = JSON.stringify(data);
    await this.database.run(
      `INSERT INTO @.snapshots AS n (key, seq, version, data, crc)
       SELECT key, $3::bigint, $4::integer, $5::text, $6::integer FROM @.heads WHERE key = $1 AND epoch = $2 AND next_seq >= $3::bigint
       FOR KEY SHARE
       ON CONFLICT (key) DO UPDATE SET seq = excluded.seq, version = excluded.version, data = excluded.data,
         crc = excluded.crc`,
      [this.key, this.epoch, seq, version, text, snapshotCrc({ seq, version, data: text })],
    );
  }

  override close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** Ends its writing: another owner has the conversation. */
  lose(reason: StoreError): void {
    if (!this.lost.aborted) this.#lost.abort(reason);
  }

  #assertWritable(): void {
    if (this.#closing) throw new StoreError('CLOSED', `conversation ${this.id}`);
    if (this.lost.aborted) throw this.lost.reason;
  }

  #refusalOf(id: string, { length }: Buffer): StoreError | undefined {
    if (length <= MAX_COMMIT_BYTES) return undefined;
    return new StoreError(
      'TOO_LARGE',
      `commit ${id} of conversation ${this.id} has ${length} bytes, at most ${MAX_COMMIT_BYTES} are taken`,
    );
  }

  async #run(): Promise<void> {
    // Appends of one turn of the event loop are stored together.
    await Promise.resolve();
    while (!this.#queue.isEmpty) {
      const group = this.#queue.takeGroup();
      const refusal = group.length > 0 ? await this.#store(group) : this.#queue.refusal;
      if (!refusal) continue;
      if (refusal.code === 'FENCED') this.lose(refusal);
      for (const { reject } of group) reject(refusal);
      this.#queue.rejectAll(refusal);
    }
    this.#running = undefined;
  }

  /** Stores a group; resolves with why it was not. */
  async #store(group: readonly PendingAppend[]): Promise<StoreError | undefined> {
    try {
      await this.#writer.store(group);
    } catch (error) {
      return error as StoreError;
    }
    // An end that was in doubt before is known only now.
    let { seq, event } = this.#first(group);
    this.moveEnd(this.#writer.end);
    for (const { commit, resolve } of group) {
      resolve({ ...commit, seq, epoch: this.epoch, firstEvent: event });
      seq = toCommitSeq(seq + 1);
      event = toEventIndex(event + commit.events.length);
    }
    this.feed.announce(this.key);
    return undefined;
  }

  /** Where the group that was stored last begins. */
  #first(group: readonly PendingAppend[]): JournalEnd {
    const { seq, event } = this.#writer.end;
    const events = group.reduce((sum, { commit }) => sum + commit.events.length, 0);
    return { seq: toCommitSeq(seq - group.length), event: toEventIndex(event - events) };
  }

  async #close(): Promise<void> {
    await this.#running;
    try {
      await this.#release();
    } finally {
      await super.close();
    }
  }
}
