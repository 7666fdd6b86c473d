import {
  isStoreError,
  StoreError,
  toCommitSeq,
  toEventIndex,
  type Commit,
  type CommitRange,
  type EventIndex,
  type JournalEnd,
  type KeptState,
  type Snapshot,
} from '@conv/core/store';
import { FeedReader, keptIn } from '@conv/store-kit';
import type { CommitsPart, Head } from './calls.ts';
import type { ChangeFeed } from './change-feed.ts';
import { toCommit } from './commit-body.ts';
import type { DatabaseThread } from './database-thread.ts';

/** Parts of a reader. */
export interface ReaderParts {
  /** Id of the conversation, a dashed UUID. */
  readonly id: string;
  readonly head: Head;
  readonly reads: DatabaseThread;
  readonly feed: ChangeFeed;
}

/** Reads one conversation through the reading thread, which never waits for the writing thread. */
export class SqliteReader extends FeedReader<ChangeFeed> {
  readonly #reads: DatabaseThread;

  constructor({ id, head, reads, feed }: ReaderParts) {
    super({ id, key: head.key, feed, end: toEnd(head) });
    this.#reads = reads;
  }

  protected async readEnd(): Promise<JournalEnd> {
    const head = await this.#reads.call('head', this.key);
    if (!head) throw this.#deleted();
    return toEnd(head);
  }

  async *commits(range: CommitRange = {}): AsyncGenerator<Commit, void, undefined> {
    this.assertOpen();
    const end = this.end;
    const { from, to } =
      'fromEvent' in range ? await this.#span(range, end) : { from: range.from ?? 0, to: range.to ?? end.seq };
    const stop = Math.min(to, end.seq);
    let next = Math.max(0, from);
    // Fetch the next part while the caller works on this one.
    let coming = next < stop ? this.#part(next, stop) : undefined;
    while (coming) {
      const part: CommitsPart = await coming;
      this.assertOpen();
      next = part.next;
      coming = next < stop ? this.#part(next, stop) : undefined;
      for (const { from: lost, to: last, reason } of part.damage)
        this.addDamage({ from: toCommitSeq(lost), to: toCommitSeq(last), reason, restored: [] });
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

  #part(from: number, to: number): Promise<CommitsPart> {
    const part = this.#reads.call('commits', { key: this.key, from, to }).catch((error: unknown) => {
      throw isStoreError(error, 'NOT_FOUND') ? this.#deleted() : error;
    });
    // A caller that leaves early never awaits this part; its rejection must not end the process.
    part.catch(() => {});
    return part;
  }

  #span(
    { fromEvent, toEvent = toEventIndex(Infinity) }: { readonly fromEvent: EventIndex; readonly toEvent?: EventIndex },
    end: JournalEnd,
  ): Promise<{ readonly from: number; readonly to: number }> {
    return this.#reads.call('span', { key: this.key, fromEvent, toEvent: Math.min(toEvent, end.event) });
  }

  /** Finds an event by reading the log, because the index is damaged. */
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
