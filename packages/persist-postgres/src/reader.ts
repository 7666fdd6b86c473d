import {
  isStoreError,
  StoreError,
  toCommitSeq,
  toEventIndex,
  type Commit,
  type CommitRange,
  type CommitSeq,
  type Damage,
  type EventIndex,
  type JournalEnd,
  type JournalReader,
  type Snapshot,
} from '@conv/core/store';
import type { ChangeFeed } from './change-feed.ts';
import type { Database } from './database.ts';
import { Doorbell } from './doorbell.ts';
import { toIdKey } from './id-key.ts';
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
export class PostgresReader implements JournalReader {
  readonly id: string;
  /** One made anew under the same id has another key. */
  readonly key: number;
  protected readonly database: Database;
  protected readonly feed: ChangeFeed;
  readonly #spans: readonly Span[];
  readonly #parts: LogParts;
  readonly #bells = new Set<Doorbell>();
  #end: JournalEnd;
  #closed = false;
  /** Called once when it is closed. */
  onClosed: () => void = () => {};

  constructor(database: Database, feed: ChangeFeed, head: Head) {
    this.id = head.id;
    this.key = head.key;
    this.database = database;
    this.feed = feed;
    this.#spans = head.spans;
    this.#parts = new LogParts(database, head.spans);
    this.#end = head.end;
  }

  get end(): JournalEnd {
    return this.#end;
  }

  get damage(): readonly Damage[] {
    return this.#parts.damage;
  }

  async refresh(): Promise<JournalEnd> {
    this.assertOpen();
    const [row] = await this.database.run('SELECT next_seq, next_event FROM @.heads WHERE key = $1', [this.key]);
    if (!row) throw new StoreError('NOT_FOUND', `conversation ${this.id} was deleted`);
    this.moveEnd(toEnd(row['next_seq'], row['next_event']));
    return this.end;
  }

  async *commits(range: CommitRange = {}): AsyncGenerator<Commit, void, undefined> {
    this.assertOpen();
    const end = this.end;
    const { from, to } =
      'fromEvent' in range ? await this.#span(range, end) : { from: range.from ?? 0, to: range.to ?? end.seq };
    const stop = Math.min(to, end.seq);
    let next = Math.max(0, from);
    // The part after the one that is handed out is fetched meanwhile.
    let coming = next < stop ? this.#parts.read(next, stop) : undefined;
    while (coming) {
      const part = await coming;
      this.assertOpen();
      next = part.next;
      coming = next < stop ? this.#parts.read(next, stop) : undefined;
      // A reader that leaves early does not ask for it any more.
      coming?.catch(() => {});
      yield* part.commits;
    }
  }

  async locate(eventId: string): Promise<EventIndex | undefined> {
    this.assertOpen();
    const [row] = await this.database.run(
      `SELECT min(e.event) AS event FROM unnest($1::bigint[], $2::bigint[]) AS t (log, before)
       JOIN @.event_ids e ON e.log = t.log AND e.id = $3::uuid AND e.event < t.before`,
      [
        this.#spans.map(({ log }) => log),
        this.#spans.map(({ endEvent }) => Math.min(endEvent, this.end.event)),
        toIdKey(eventId),
      ],
    );
    const event = row?.['event'];
    return event === null || event === undefined ? undefined : toEventIndex(Number(event));
  }

  async snapshot(): Promise<Snapshot | undefined> {
    this.assertOpen();
    const [row] = await this.database.run('SELECT seq, version, data FROM @.snapshots WHERE key = $1 AND seq <= $2', [
      this.key,
      this.end.seq,
    ]);
    if (!row) return undefined;
    try {
      const data = JSON.parse(String(row['data'])) as Snapshot['data'];
      return { seq: toCommitSeq(Number(row['seq'])), version: Number(row['version']), data };
    } catch {
      // A snapshot is a cache: without it the log is folded.
      return undefined;
    }
  }

  async *watch(from: CommitSeq, signal: AbortSignal): AsyncGenerator<Commit, void, undefined> {
    this.assertOpen();
    const bell = new Doorbell();
    const stop = this.feed.follow(this.key, bell.ring);
    this.#bells.add(bell);
    signal.addEventListener('abort', bell.ring, { once: true });
    try {
      for (let next: number = from; !signal.aborted && !this.#closed;) {
        try {
          // More may come while these are handed out.
          const { seq: to } = await this.refresh();
          for await (const commit of this.commits({ from: toCommitSeq(next), to })) {
            next = commit.seq + 1;
            yield commit;
            if (signal.aborted) return;
          }
          // Damaged commits are passed by.
          next = Math.max(next, to);
        } catch (error) {
          if (this.#closed) return;
          // The feed rings when the database is there again.
          if (!isStoreError(error, 'UNAVAILABLE')) throw error;
          this.feed.report();
        }
        await bell.rung();
      }
    } finally {
      stop();
      this.#bells.delete(bell);
      signal.removeEventListener('abort', bell.ring);
    }
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    for (const bell of this.#bells) bell.ring();
    this.onClosed();
  }

  protected assertOpen(): void {
    if (this.#closed) throw new StoreError('CLOSED', `conversation ${this.id}`);
  }

  protected moveEnd(end: JournalEnd): void {
    this.#end = end;
  }

  async #span(
    { fromEvent, toEvent = toEventIndex(Infinity) }: { readonly fromEvent: EventIndex; readonly toEvent?: EventIndex },
    end: JournalEnd,
  ): Promise<{ readonly from: number; readonly to: number }> {
    const last = Math.min(toEvent, end.event);
    if (fromEvent >= last) return { from: 0, to: 0 };
    const [from, to] = await Promise.all([
      this.#parts.seqOf(Math.max(0, fromEvent), end.seq),
      toEvent < end.event ? this.#parts.seqOf(toEvent - 1, end.seq) : end.seq - 1,
    ]);
    return { from, to: to + 1 };
  }
}

/** Two columns as the end of a log. */
export function toEnd(seq: unknown, event: unknown): JournalEnd {
  return { seq: toCommitSeq(Number(seq)), event: toEventIndex(Number(event)) };
}
