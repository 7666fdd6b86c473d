import type { StateFields } from '@conv/core';
import type { Commit, Journal, NewCommit, Snapshot } from '@conv/core/store';
import { acknowledge, JournalWrites, numbersOf, type BodyAppend } from '@conv/store-kit';
import type { AppendLanes } from './append-lanes.ts';
import type { ChangeFeed } from './change-feed.ts';
import type { Database } from './database.ts';
import { LogWriter } from './log-writer.ts';
import { PostgresReader, type Head } from './reader.ts';
import { snapshotCrc } from './snapshot-crc.ts';

/** Limits one call of the database, in commits and in bytes of JSON. */
const GROUP = { commits: 512, size: 4 * 1024 * 1024 };

/** Conversation that was acquired. */
export interface Holding extends Head {
  readonly epoch: number;
  readonly turn: number;
}

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
  readonly writes: JournalWrites;
  readonly #writer: LogWriter;
  readonly #release: () => Promise<void>;

  constructor({ database, feed, lanes, release }: JournalParts, holding: Holding) {
    super(database, feed, holding);
    this.writes = new JournalWrites(holding.id, { limits: GROUP, store: (group) => this.#store(group) });
    this.epoch = holding.epoch;
    this.#writer = new LogWriter(database, lanes, holding);
    this.#release = release;
  }

  get lost(): AbortSignal {
    return this.writes.lost;
  }

  protected override knowsEnd(): boolean {
    return !this.lost.aborted;
  }

  append(commit: NewCommit, after: StateFields): Promise<Commit> {
    return this.writes.append(commit, after);
  }

  async saveSnapshot({ seq, version, data }: Snapshot): Promise<void> {
    this.writes.assert();
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
    return this.writes.close(async () => {
      try {
        await this.#release();
      } finally {
        await super.close();
      }
    });
  }

  async #store(group: readonly BodyAppend[]): Promise<void> {
    // Invariant: one group at a time. Once this resolves, the group is durable; readers see it only then.
    const { seq, event: firstEvent } = await this.#writer.store(group);
    this.moveEnd(this.#writer.end);
    acknowledge(group, numbersOf(group, { seq, epoch: this.epoch, firstEvent }).numbers);
    this.feed.announce(this.key);
  }
}
