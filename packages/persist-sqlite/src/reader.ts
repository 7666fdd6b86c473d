import {
  isStoreError,
  StoreError,
  toCommitSeq,
  toEventIndex,
  type Commit,
  type EventIndex,
  type JournalEnd,
  type KeptState,
  type Snapshot,
} from '@conv/core/store';
import { FeedReader, findEvent, isOtherSnapshot, keptIn, readCommitBody, type LogPart } from '@conv/store-kit';
import type { CommitRow, CommitsPart, Head, VerifiedPart } from './calls.ts';
import type { ChangeFeed } from './change-feed.ts';
import type { DatabaseReads } from './database-reads.ts';

export interface ReaderParts {
  /** Id of the conversation, a dashed UUID. */
  readonly id: string;
  readonly head: Head;
  readonly reads: DatabaseReads;
  readonly feed: ChangeFeed;
}

/** Reads one conversation by another connection than that which writes, so no reading waits for a write. */
export class SqliteReader extends FeedReader<ChangeFeed> {
  readonly #reads: DatabaseReads;

  constructor({ id, head, reads, feed }: ReaderParts) {
    super({ id, key: head.key, feed, end: toEnd(head) });
    this.#reads = reads;
  }

  protected async readEnd(): Promise<JournalEnd> {
    const head = await this.#reads.call('head', this.key);
    if (!head) throw this.#deleted();
    return toEnd(head);
  }

  async locate(eventId: string): Promise<EventIndex | undefined> {
    this.assertOpen();
    try {
      const found = await this.#reads.call('locate', this.key, eventId, this.end.event);
      return found === undefined ? undefined : toEventIndex(found);
    } catch (error) {
      if (!isStoreError(error, 'CORRUPT')) throw error;
    }
    // The index is damaged, so the log itself is searched.
    return findEvent(this.commits(), eventId);
  }

  async snapshot(): Promise<Snapshot | undefined> {
    this.assertOpen();
    const row = await this.#reads.call('snapshot', this.key, this.end.seq);
    if (!row) return undefined;
    const found = { seq: toCommitSeq(row.seq), version: row.version, data: JSON.parse(row.data) as Snapshot['data'] };
    return (await isOtherSnapshot(this, found)) ? undefined : found;
  }

  async kept(): Promise<readonly KeptState[]> {
    return (await this.#reads.call('kept', this.key)).flatMap((text) => keptIn(text, this.id));
  }

  protected async readPart(from: number, to: number): Promise<LogPart> {
    const { rows, next } = await this.#noted(this.#reads.call('commits', this.key, from, to));
    return { commits: lazily(rows), next };
  }

  /** Compares the checksums of commits, as each reading does. Resolves with their characters. */
  async verify(from: number, to: number): Promise<number> {
    this.assertOpen();
    let sum = 0;
    for (let at = from; at < to;) {
      const { characters, next } = await this.#noted(this.#reads.call('verify', this.key, at, to));
      sum += characters;
      at = next;
    }
    return sum;
  }

  /** Resolves as a reading of commits, whose damage the reader knows then. */
  async #noted<Part extends CommitsPart | VerifiedPart>(reading: Promise<Part>): Promise<Part> {
    const part = await reading.catch((error: unknown) => {
      throw isStoreError(error, 'NOT_FOUND') ? this.#deleted() : error;
    });
    for (const { from, to, reason } of part.damage)
      this.addDamage({ from: toCommitSeq(from), to: toCommitSeq(to), reason, restored: [] });
    return part;
  }

  protected async *withEvents(
    fromEvent: number,
    toEvent: number,
    end: number,
  ): AsyncGenerator<Commit, void, undefined> {
    const { from, to } = await this.#reads.call('span', this.key, fromEvent, toEvent);
    yield* this.numbered(from, Math.min(to, end));
  }

  #deleted(): StoreError {
    return new StoreError('NOT_FOUND', `conversation ${this.id} was deleted; open another one, or make it anew`);
  }
}

/** Yields the commits of rows, each parsed only when the caller takes it. */
function* lazily(rows: readonly CommitRow[]): Generator<Commit, void, undefined> {
  for (const { body, ...numbers } of rows) yield readCommitBody(body, numbers);
}

/** Returns the numbers of a head. */
export function toEnd({ seq, event }: Pick<Head, 'seq' | 'event'>): JournalEnd {
  return { seq: toCommitSeq(seq), event: toEventIndex(event) };
}
