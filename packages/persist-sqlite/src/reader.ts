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
  type KeptState,
  type Snapshot,
} from '@conv/core/store';
import { keptIn, withDamage } from '@conv/store-kit';
import type { CommitsPart, Head } from './calls.ts';
import type { ChangeFeed } from './change-feed.ts';
import { toCommit } from './commit-body.ts';
import type { DatabaseThread } from './database-thread.ts';
import { Doorbell } from './doorbell.ts';

/** What a reader is made of. */
export interface ReaderParts {
  /** A dashed UUID. */
  readonly id: string;
  readonly head: Head;
  readonly reads: DatabaseThread;
  readonly feed: ChangeFeed;
}

/** Reads one conversation through the thread that reads, which never waits for the one that writes. */
export class SqliteReader implements JournalReader {
  readonly id: string;
  /** Where it is in the database; one made anew under the same id has another key. */
  readonly key: number;
  protected readonly feed: ChangeFeed;
  readonly #reads: DatabaseThread;
  #damage: readonly Damage[] = [];
  readonly #bells = new Set<Doorbell>();
  #end: JournalEnd;
  #closed = false;

  constructor({ id, head, reads, feed }: ReaderParts) {
    this.id = id;
    this.key = head.key;
    this.#reads = reads;
    this.feed = feed;
    this.#end = toEnd(head);
  }

  /** Called once when it is closed. */
  onClosed: () => void = () => {};

  get end(): JournalEnd {
    return this.#end;
  }

  get damage(): readonly Damage[] {
    return this.#damage;
  }

  async refresh(): Promise<JournalEnd> {
    this.assertOpen();
    const head = await this.#reads.call('head', this.key);
    if (!head) throw this.#deleted();
    this.moveEnd(toEnd(head));
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
    let coming = next < stop ? this.#part(next, stop) : undefined;
    while (coming) {
      const part: CommitsPart = await coming;
      this.assertOpen();
      next = part.next;
      coming = next < stop ? this.#part(next, stop) : undefined;
      for (const { from: lost, to: last, reason } of part.damage) {
        const span = { from: toCommitSeq(lost), to: toCommitSeq(last), reason, restored: [] };
        this.#damage = withDamage(this.#damage, span);
      }
      for (const row of part.rows) yield toCommit(row);
    }
  }

  async locate(eventId: string): Promise<EventIndex | undefined> {
    this.assertOpen();
    try {
      const found = await this.#reads.call('locate', { key: this.key, eventId, end: this.end.event });
      return found === undefined ? undefined : toEventIndex(found);
    } catch (error) {
      if (!isStoreError(error, 'CORRUPT')) throw error;
    }
    return this.#search(eventId);
  }

  async snapshot(): Promise<Snapshot | undefined> {
    this.assertOpen();
    const row = await this.#reads.call('snapshot', { key: this.key, end: this.end.seq });
    return row && { seq: toCommitSeq(row.seq), version: row.version, data: JSON.parse(row.data) as Snapshot['data'] };
  }

  async kept(): Promise<readonly KeptState[]> {
    return (await this.#reads.call('kept', this.key)).flatMap(keptIn);
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
          // The feed rings when the database answers again.
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

  #part(from: number, to: number): Promise<CommitsPart> {
    const part = this.#reads.call('commits', { key: this.key, from, to }).catch((error: unknown) => {
      throw isStoreError(error, 'NOT_FOUND') ? this.#deleted() : error;
    });
    // A reader that leaves early does not ask for it any more.
    part.catch(() => {});
    return part;
  }

  #span(
    { fromEvent, toEvent = toEventIndex(Infinity) }: { readonly fromEvent: EventIndex; readonly toEvent?: EventIndex },
    end: JournalEnd,
  ): Promise<{ readonly from: number; readonly to: number }> {
    return this.#reads.call('span', { key: this.key, fromEvent, toEvent: Math.min(toEvent, end.event) });
  }

  /** Finds an event without the index, which is damaged. */
  async #search(eventId: string): Promise<EventIndex | undefined> {
    for await (const { events, firstEvent } of this.commits()) {
      const at = events.findIndex(({ id }) => id === eventId);
      if (at >= 0) return toEventIndex(firstEvent + at);
    }
    return undefined;
  }

  #deleted(): StoreError {
    return new StoreError('NOT_FOUND', `conversation ${this.id} was deleted`);
  }
}

function toEnd({ seq, event }: Pick<Head, 'seq' | 'event'>): JournalEnd {
  return { seq: toCommitSeq(seq), event: toEventIndex(event) };
}
