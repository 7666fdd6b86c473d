import type { StateFields } from '@conv/core';
import { isStoreError, type Commit, type Journal, type NewCommit, type Snapshot } from '@conv/core/store';
import {
  AppendQueue,
  commitTooLarge,
  consecutiveNumbers,
  numberedCommit,
  WriteAccess,
  type CommitNumbers,
} from '@conv/store-kit';
import type { AppendLanes } from './append-lanes.ts';
import type { ChangeFeed } from './change-feed.ts';
import { toBody } from './commit-body.ts';
import type { Database } from './database.ts';
import { LogWriter, type PendingAppend } from './log-writer.ts';
import { PostgresReader, snapshotCrc, type Head } from './reader.ts';

/** Limits one call of the database, in commits and in bytes of JSON. */
const GROUP = { commits: 512, size: 4 * 1024 * 1024 };

/** Conversation that was acquired. */
export interface Holding extends Head {
  readonly epoch: number;
  readonly turn: number;
}

/** Parts of a journal. */
export interface JournalParts {
  readonly database: Database;
  readonly feed: ChangeFeed;
  readonly lanes: AppendLanes;
  /** Gives the conversation up. */
  readonly release: () => Promise<void>;
}

/**
 * Writes one conversation, with one call of the database at a time. A call stores all commits that arrived during the call
 * before. Each call checks the epoch in its own transaction, so a journal that was taken over from stores nothing.
 */
export class PostgresJournal extends PostgresReader implements Journal {
  readonly epoch: number;
  readonly #writer: LogWriter;
  readonly #queue = new AppendQueue<PendingAppend>({ limits: GROUP, store: (group) => this.#store(group) });
  /** Right to write, which ends when another owner has the conversation. */
  readonly access: WriteAccess;
  readonly #release: () => Promise<void>;

  constructor({ database, feed, lanes, release }: JournalParts, holding: Holding) {
    super(database, feed, holding);
    this.access = new WriteAccess(holding.id);
    this.epoch = holding.epoch;
    this.#writer = new LogWriter(database, lanes, holding);
    this.#release = release;
  }

  get lost(): AbortSignal {
    return this.access.lost;
  }

  protected override knowsEnd(): boolean {
    return !this.lost.aborted;
  }

  append(commit: NewCommit, after: StateFields): Promise<Commit> {
    return new Promise((resolve, reject) => {
      this.access.assert();
      const body = toBody(commit);
      const size = body.length;
      const refusal = commitTooLarge({ id: commit.id, conversationId: this.id, bytes: size });
      this.#queue.add({ commit, body, size, after, refusal, resolve, reject });
    });
  }

  async saveSnapshot({ seq, version, data }: Snapshot): Promise<void> {
    this.access.assert();
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
    return this.access.close(() => this.#close());
  }

  async #store(group: readonly PendingAppend[]): Promise<void> {
    try {
      // Invariant: one group at a time. Once this resolves, the group is durable; readers see it only then.
      await this.#writer.store(group);
    } catch (error) {
      if (isStoreError(error, 'FENCED')) this.access.lose(error);
      throw error;
    }
    this.moveEnd(this.#writer.end);
    const commits = group.map(({ commit }) => commit);
    // The writer may have settled a doubtful end first, so count back from its end to number the group.
    const events = commits.reduce((sum, commit) => sum + commit.events.length, 0);
    const first = { seq: this.end.seq - group.length, epoch: this.epoch, firstEvent: this.end.event - events };
    const numbers = consecutiveNumbers(commits, first);
    group.forEach(({ commit, resolve }, at) => resolve(numberedCommit(commit, numbers[at] as CommitNumbers)));
    this.feed.announce(this.key);
  }

  async #close(): Promise<void> {
    await this.#queue.settled();
    try {
      await this.#release();
    } finally {
      await super.close();
    }
  }
}
