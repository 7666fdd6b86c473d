import {
  StoreError,
  toCommitSeq,
  toEventIndex,
  type Commit,
  type EventIndex,
  type JournalEnd,
  type KeptState,
  type Snapshot,
} from '@conv/core/store';
import { FeedReader, isOtherSnapshot, keptIn, type LogPart } from '@conv/store-kit';
import type { ChangeFeed } from './change-feed.ts';
import type { Database } from './database.ts';
import { findHead } from './find-head.ts';
import { locateEvent } from './locate-event.ts';
import { LogParts, type Span } from './log-parts.ts';
import { snapshotCrc } from './snapshot-crc.ts';

/** Place of a conversation, and the end of its log. */
export interface Head {
  /** Id of the conversation, a dashed UUID. */
  readonly id: string;
  readonly key: number;
  /** Spans of the log; the last one has no end. */
  readonly spans: readonly Span[];
  readonly end: JournalEnd;
}

/** Reads one conversation. */
export class PostgresReader extends FeedReader<ChangeFeed> {
  protected readonly database: Database;
  /** Spans of its log. */
  readonly spans: readonly Span[];
  readonly #parts: LogParts;

  constructor(database: Database, feed: ChangeFeed, head: Head) {
    super({ ...head, feed });
    this.database = database;
    this.spans = head.spans;
    this.#parts = new LogParts(database, head.spans, (damage) => this.addDamage(damage));
  }

  protected async readEnd(): Promise<JournalEnd | undefined> {
    const [row] = await this.database.run(
      'SELECT next_seq, next_event, seal IS NOT DISTINCT FROM @.seal_of_head(h) AS sealed FROM @.heads h WHERE key = $1',
      [this.key],
    );
    if (!row)
      throw new StoreError('NOT_FOUND', `conversation ${this.id} was deleted; open another one, or make it anew`);
    if (row['sealed'] === true) {
      const end = toEnd(row['next_seq'], row['next_event']);
      // A log grows only. A row that was set back does not take away what is known to be stored.
      return end.seq < this.end.seq ? this.end : end;
    }
    // If the row is damaged, the log tells the end.
    return (await findHead(this.database, this.id))?.end;
  }

  async locate(eventId: string): Promise<EventIndex | undefined> {
    this.assertOpen();
    const { database, spans } = this;
    return locateEvent({ database, spans, parts: this.#parts, reader: this }, eventId);
  }

  async snapshot(): Promise<Snapshot | undefined> {
    this.assertOpen();
    const [row] = await this.database.run(
      'SELECT seq, version, data, crc FROM @.snapshots WHERE key = $1 AND seq <= $2',
      [this.key, this.end.seq],
    );
    // A snapshot is a cache. Without it, or if it is damaged, the state is folded from the log.
    if (!row || snapshotCrc(row) !== row['crc']) return undefined;
    try {
      const data = JSON.parse(String(row['data'])) as Snapshot['data'];
      const found = { seq: toCommitSeq(Number(row['seq'])), version: Number(row['version']), data };
      return (await isOtherSnapshot(this, found)) ? undefined : found;
    } catch (error) {
      if (error instanceof SyntaxError) return undefined;
      throw error;
    }
  }

  async kept(): Promise<readonly KeptState[]> {
    const [row] = await this.database.run('SELECT kept FROM @.summaries WHERE key = $1', [this.key]);
    return keptIn(row?.['kept'], this.id);
  }

  protected readPart(from: number, to: number): Promise<LogPart> {
    return this.#parts.read(from, to);
  }

  /** Yields the commits that hold a range of events, by the numbers in rows, or by undamaged commits where these mislead. */
  protected async *withEvents(
    fromEvent: number,
    toEvent: number,
    endSeq: number,
  ): AsyncGenerator<Commit, void, undefined> {
    const [from, last] = await this.#parts.seqsOf([fromEvent, toEvent - 1], endSeq);
    let [next, seen]: [number | undefined, number] = [undefined, 0];
    for await (const commit of this.numbered(from, last + 1)) {
      if (next === undefined && commit.firstEvent > fromEvent) break;
      next = commit.seq + 1;
      seen = commit.firstEvent + commit.events.length;
      if (seen > fromEvent && commit.firstEvent < toEvent) yield commit;
    }
    if (next !== undefined && seen >= toEvent) return;
    const [start, stop] = await this.#parts.wholeRange(fromEvent, toEvent, endSeq);
    for await (const commit of this.numbered(next ?? start, stop))
      if (commit.firstEvent + commit.events.length > fromEvent && commit.firstEvent < toEvent) yield commit;
  }
}

/** Converts two columns to the end of a log. */
export function toEnd(seq: unknown, event: unknown): JournalEnd {
  return { seq: toCommitSeq(Number(seq)), event: toEventIndex(Number(event)) };
}
