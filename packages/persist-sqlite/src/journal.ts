import type { StateFields } from '@conv/core';
import type { StoreError } from '@conv/core/store';
import {
  toCommitSeq,
  toEventIndex,
  type Commit,
  type Journal,
  type JournalEnd,
  type NewCommit,
  type Snapshot,
} from '@conv/core/store';
import { MAX_COMMIT_BYTES, settingsText, WriteAccess } from '@conv/store-kit';
import type { AppendOutbox } from './append-outbox.ts';
import type { AppendItem } from './calls.ts';
import { toBody, toSummary } from './commit-body.ts';
import type { DatabaseThread } from './database-thread.ts';
import type { Failure } from './failure.ts';
import { SqliteReader, type ReaderParts } from './reader.ts';

/** Parts of a journal. */
export interface JournalParts extends ReaderParts {
  /** Number of the journal, unique in the store. */
  readonly journal: number;
  readonly writes: DatabaseThread;
  readonly outbox: AppendOutbox;
}

/**
 * Writes one conversation through the writing thread. Every transaction there checks the epoch and the next number, so a journal
 * that was taken over from changes nothing.
 */
export class SqliteJournal extends SqliteReader implements Journal {
  readonly epoch: number;
  readonly #journal: number;
  readonly #writes: DatabaseThread;
  readonly #outbox: AppendOutbox;
  /** Right to write, which ends when another owner has the conversation. */
  readonly access: WriteAccess;
  /** End of the log with all commits on their way to the database. */
  #accepted: JournalEnd;
  /**
   * Number of refusals. Commits that were appended before a refusal assume a state that does not exist, so they are refused too.
   */
  #generation = 0;
  #last: Promise<unknown> = Promise.resolve();

  constructor(parts: JournalParts) {
    super(parts);
    this.access = new WriteAccess(parts.id);
    this.epoch = parts.head.epoch;
    this.#journal = parts.journal;
    this.#writes = parts.writes;
    this.#outbox = parts.outbox;
    this.#accepted = this.end;
  }

  get lost(): AbortSignal {
    return this.access.lost;
  }

  protected override knowsEnd(): boolean {
    return !this.lost.aborted;
  }

  async append(commit: NewCommit, after: StateFields): Promise<Commit> {
    this.access.assert();
    const item = this.#item(commit, after);
    const { seq, firstEvent } = item;
    this.#accepted = { seq: toCommitSeq(seq + 1), event: toEventIndex(firstEvent + commit.events.length) };
    const settled = this.#outbox.append(item);
    this.#last = settled;
    // Invariant: no refusal means that the transaction with this commit is flushed to the disk.
    const refusal = await settled;
    if (refusal) throw this.#refused(item, refusal);
    this.moveEnd({ seq: toCommitSeq(seq + 1), event: toEventIndex(firstEvent + commit.events.length) });
    this.feed.announce(this.key);
    return { ...commit, seq: toCommitSeq(seq), epoch: this.epoch, firstEvent: toEventIndex(firstEvent) };
  }

  async saveSnapshot({ seq, version, data }: Snapshot): Promise<void> {
    this.access.assert();
    if (seq > this.end.seq) return;
    const { key, epoch } = this;
    await this.#writes.call('saveSnapshot', { key, epoch, seq, version, data: JSON.stringify(data) });
  }

  override close(): Promise<void> {
    return this.access.close(() => this.#close());
  }

  #item(commit: NewCommit, after: StateFields): AppendItem {
    const body = toBody(commit);
    const refusal = this.#tooLarge(commit.id, body);
    return {
      journal: this.#journal,
      generation: this.#generation,
      conversation: this.id,
      key: this.key,
      epoch: this.epoch,
      seq: this.#accepted.seq,
      firstEvent: this.#accepted.event,
      id: commit.id,
      eventIds: commit.events.map(({ id }) => id),
      body: refusal ? '' : body,
      summary: toSummary(after),
      settings: settingsText(after),
      ...(refusal ? { refusal } : {}),
    };
  }

  #tooLarge(id: string, body: string): Failure | undefined {
    // A text has one to three bytes for each character; count them only near the limit.
    const bytes = body.length * 3 > MAX_COMMIT_BYTES ? Buffer.byteLength(body) : body.length;
    if (bytes <= MAX_COMMIT_BYTES) return undefined;
    const message = `commit ${id} of conversation ${this.id} has ${bytes} bytes, at most ${MAX_COMMIT_BYTES} are taken`;
    return { code: 'TOO_LARGE', message };
  }

  #refused({ generation }: AppendItem, refusal: StoreError): StoreError {
    if (generation === this.#generation) {
      this.#generation++;
      this.#accepted = this.end;
    }
    if (refusal.code === 'FENCED') this.access.lose(refusal);
    return refusal;
  }

  async #close(): Promise<void> {
    await this.#last;
    try {
      await this.#writes.call('release', { key: this.key, epoch: this.epoch, journal: this.#journal });
    } catch {
      // Without a heartbeat others can take the conversation over soon. No acknowledged commit depends on the release.
    } finally {
      await super.close();
    }
  }
}
