import type { StateFields } from '@conv/core';
import type { Commit, Journal, NewCommit, Snapshot } from '@conv/core/store';
import {
  acknowledge,
  bodyJson,
  flushPace,
  JournalWrites,
  numbersOf,
  settingsText,
  summaryColumns,
  type BodyAppend,
  type CommitBody,
  type CommitNumbers,
} from '@conv/store-kit';
import type { Platform } from '@conv/core/platform';
import type { AppendOutbox } from './append-outbox.ts';
import type { AppendItem } from './calls.ts';
import type { DatabaseThread } from './database-thread.ts';
import type { LateTimes } from './late-times.ts';
import { SqliteReader, toEnd, type ReaderParts } from './reader.ts';
import { RowChanges, type RowChange, type RowState } from './row-changes.ts';

/** Limits one group, in commits and in characters of JSON. */
const GROUP = { commits: 512, size: 4 * 1024 * 1024 };

/** Groups of one commit in a row, after which the next commit is taken to be alone. */
const SINGLE = 3;

export interface JournalParts extends ReaderParts {
  readonly thread: DatabaseThread;
  readonly outbox: AppendOutbox;
  readonly late: LateTimes;
  readonly platform: Platform;
}

/** Writes one conversation. Each transaction checks epoch and number, so a journal that was taken over changes nothing. */
export class SqliteJournal extends SqliteReader implements Journal {
  readonly epoch: number;
  readonly writes: JournalWrites;
  readonly #thread: DatabaseThread;
  readonly #outbox: AppendOutbox;
  readonly #late: LateTimes;
  readonly #row: RowChanges;
  /** Groups of one commit since the last larger one. */
  #single = 0;

  constructor(parts: JournalParts) {
    super(parts);
    this.epoch = parts.head.epoch;
    this.writes = new JournalWrites(parts.id, {
      limits: GROUP,
      store: (group) => this.#store(group),
      onBusy: (isBusy) => (isBusy ? flushPace.begin(this) : flushPace.end(this)),
    });
    this.#thread = parts.thread;
    this.#outbox = parts.outbox;
    this.#late = parts.late;
    this.#row = new RowChanges(parts.platform);
  }

  append(commit: NewCommit, after: StateFields): Promise<Commit> {
    return this.writes.append(commit, after);
  }

  override close(): Promise<void> {
    return this.writes.close(async () => {
      try {
        await this.#thread.call('release', this.key, this.epoch, this.#late.take(this.key));
      } catch {
        // Without a heartbeat others can take the conversation over soon. No acknowledged commit depends on the release.
      } finally {
        await super.close();
      }
    });
  }

  get lost(): AbortSignal {
    return this.writes.lost;
  }

  protected override knowsEnd(): boolean {
    return !this.lost.aborted;
  }

  async saveSnapshot({ seq, version, data }: Snapshot): Promise<void> {
    this.writes.assert();
    if (seq > this.end.seq) return;
    const { key, epoch } = this;
    await this.#thread.call('saveSnapshot', { key, epoch, seq, version, data: JSON.stringify(data) });
  }

  async #store(group: readonly BodyAppend[]): Promise<void> {
    const { numbers } = numbersOf(group, { seq: this.end.seq, epoch: this.epoch, firstEvent: this.end.event });
    const states = group.map(({ after }) => ({
      summary: summaryColumns(after),
      settings: settingsText(after, this.id),
    }));
    const change = this.#row.by(states);
    const items = group.map(({ body }, at) =>
      this.#item(body, numbers[at] as CommitNumbers, states[at] as RowState, change),
    );
    const refusals = await this.#outbox.append(items, this, this.#isAlone(group));
    // Invariant: no refusal means that the transaction with this commit is flushed to the disk.
    const refused = refusals.findIndex((refusal) => refusal !== undefined);
    const stored = refused < 0 ? group : group.slice(0, refused);
    const last = items[stored.length - 1];
    if (refused < 0) this.#row.stored(change, states.at(-1) as RowState);
    else this.#row.forget();
    if (last) {
      if (change.isTimeDue) this.#late.take(this.key);
      else this.#late.note(this.key, change.time);
      this.moveEnd(toEnd({ seq: last.seq + 1, event: last.firstEvent + last.eventIds.length }));
      acknowledge(stored, numbers);
      this.feed.announce(this.key);
    }
    // Rejects the rest of the group, which was made for a log with the refused commit.
    const refusal = refusals[stored.length];
    if (refusal) throw refusal;
    await this.#outbox.turn();
  }

  #item(body: CommitBody, numbers: CommitNumbers, { summary, settings }: RowState, change: RowChange): AppendItem {
    const { id, events } = body.commit;
    return {
      ...numbers,
      conversation: this.id,
      key: this.key,
      id,
      eventIds: events.map((event) => event.id),
      body: bodyJson(body),
      summary: change.isSummaryNew ? summary : null,
      settings: change.areSettingsNew ? settings : null,
      changedAt: change.isTimeDue ? change.time : null,
    };
  }

  /** True if commits come one after the other: commits that come together meet in the queue. */
  #isAlone(group: readonly BodyAppend[]): boolean {
    this.#single = group.length === 1 && this.writes.queue.isEmpty ? this.#single + 1 : 0;
    return this.#single >= SINGLE;
  }
}
