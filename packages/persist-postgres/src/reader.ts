import {
  StoreError,
  toCommitSeq,
  toEventIndex,
  type Commit,
  type CommitRange,
  type CommitSeq,
  type Damage,
  type EventIndex,
  type JournalEnd,
  type KeptState,
  type Snapshot,
} from '@conv/core/store';
import { keptIn, WatchableReader } from '@conv/store-kit';
import type { ChangeFeed } from './change-feed.ts';
import type { Database } from './database.ts';
import { textCrc } from './commit-body.ts';
import { findHead } from './find-head.ts';
import { locateEvent } from './locate-event.ts';
import type { Row } from './postgres-pool.ts';
import { LogParts, type Span } from './log-parts.ts';

/** Where a conversation is and where its log ends. */
export interface Head {
  /** A dashed UUID. */
  readonly id: string;
  readonly key: number;
  /** What the log consists of; the last span goes on. */
  readonly spans: readonly Span[];
  readonly end: JournalEnd;
}

/** Reads one conversation. */
export class PostgresReader extends WatchableReader {
  /** One made anew under the same id has another key. */
  readonly key: number;
  protected readonly database: Database;
  protected readonly feed: ChangeFeed;
  /** The parts of its log. */
  readonly spans: readonly Span[];
  readonly #parts: LogParts;
  #end: JournalEnd;

  constructor(database: Database, feed: ChangeFeed, head: Head) {
    super(head.id);
    this.key = head.key;
    this.database = database;
    this.feed = feed;
    this.spans = head.spans;
    this.#parts = new LogParts(database, head.spans);
    this.#end = head.end;
  }

  get end(): JournalEnd {
    return this.#end;
  }

  override get damage(): readonly Damage[] {
    return this.#parts.damage;
  }

  async refresh(): Promise<JournalEnd> {
    this.assertOpen();
    const [row] = await this.database.run(
      'SELECT next_seq, next_event, seal IS NOT DISTINCT FROM @.seal_of_head(h) AS sealed FROM @.heads h WHERE key = $1',
      [this.key],
    );
    if (!row) throw new StoreError('NOT_FOUND', `conversation ${this.id} was deleted`);
    // Where the row is damaged the log tells.
    const end =
      row['sealed'] === true
        ? toEnd(row['next_seq'], row['next_event'])
        : (await findHead(this.database, this.id))?.end;
    if (end) this.moveEnd(end);
    return this.end;
  }

  async *commits(range: CommitRange = {}): AsyncGenerator<Commit, void, undefined> {
    this.assertOpen();
    const { end } = this;
    if (!('fromEvent' in range)) {
      yield* this.#numbered(Math.max(0, range.from ?? 0), Math.min(range.to ?? end.seq, end.seq));
      return;
    }
    const fromEvent = Math.max(0, range.fromEvent);
    const toEvent = Math.min(range.toEvent ?? end.event, end.event);
    if (fromEvent < toEvent) yield* this.#withEvents({ fromEvent, toEvent }, end.seq);
  }

  async locate(eventId: string): Promise<EventIndex | undefined> {
    this.assertOpen();
    const { database, spans } = this;
    const found = await locateEvent({ database, spans, parts: this.#parts, reader: this }, eventId);
    return found === undefined ? undefined : toEventIndex(found);
  }

  async snapshot(): Promise<Snapshot | undefined> {
    this.assertOpen();
    const [row] = await this.database.run(
      'SELECT seq, version, data, crc FROM @.snapshots WHERE key = $1 AND seq <= $2',
      [this.key, this.end.seq],
    );
    // A snapshot is a cache: without it, and where it is not as it was stored, the log is folded.
    if (!row || snapshotCrc(row) !== row['crc']) return undefined;
    try {
      const data = JSON.parse(String(row['data'])) as Snapshot['data'];
      return { seq: toCommitSeq(Number(row['seq'])), version: Number(row['version']), data };
    } catch {
      return undefined;
    }
  }

  async kept(): Promise<readonly KeptState[]> {
    const [row] = await this.database.run('SELECT kept FROM @.summaries WHERE key = $1', [this.key]);
    return keptIn(row?.['kept']);
  }

  watch(from: CommitSeq, signal: AbortSignal): AsyncGenerator<Commit, void, undefined> {
    const { feed, key } = this;
    // After a report the feed rings when the database answers again.
    return this.watchWith(
      { follow: (ring) => feed.follow(key, ring), onUnavailable: () => feed.report() },
      from,
      signal,
    );
  }

  protected moveEnd(end: JournalEnd): void {
    this.#end = end;
  }

  /** The commits from one number to before another. */
  async *#numbered(from: number, to: number): AsyncGenerator<Commit, void, undefined> {
    let next = from;
    // The part after the one that is handed out is fetched meanwhile.
    let coming = next < to ? this.#parts.read(next, to) : undefined;
    while (coming) {
      const part = await coming;
      this.assertOpen();
      next = part.next;
      coming = next < to ? this.#parts.read(next, to) : undefined;
      // A reader that leaves early does not ask for it any more.
      coming?.catch(() => {});
      yield* part.commits;
    }
  }

  /** The commits that hold events of a span. Found by the numbers in the rows, and once more by whole commits where those mislead. */
  async *#withEvents({ fromEvent, toEvent }: EventSpan, endSeq: number): AsyncGenerator<Commit, void, undefined> {
    const [from, last] = await this.#parts.seqsOf([fromEvent, toEvent - 1], endSeq);
    let [next, seen]: [number | undefined, number] = [undefined, 0];
    for await (const commit of this.#numbered(from, last + 1)) {
      if (next === undefined && commit.firstEvent > fromEvent) break;
      next = commit.seq + 1;
      seen = commit.firstEvent + commit.events.length;
      if (seen > fromEvent && commit.firstEvent < toEvent) yield commit;
    }
    if (next !== undefined && seen >= toEvent) return;
    const [start, stop] = await this.#parts.wholeRange(fromEvent, toEvent, endSeq);
    for await (const commit of this.#numbered(next ?? start, stop))
      if (commit.firstEvent + commit.events.length > fromEvent && commit.firstEvent < toEvent) yield commit;
  }
}

interface EventSpan {
  readonly fromEvent: number;
  readonly toEvent: number;
}

/** The check value of a snapshot, over its numbers and its text. */
export function snapshotCrc(row: Row): number {
  return textCrc([row['seq'], row['version'], row['data']].join(' '));
}

/** Two columns as the end of a log. */
export function toEnd(seq: unknown, event: unknown): JournalEnd {
  return { seq: toCommitSeq(Number(seq)), event: toEventIndex(Number(event)) };
}
