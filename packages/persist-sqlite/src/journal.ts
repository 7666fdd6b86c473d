import type { StateFields } from '@conv/core';
import type { Commit, Journal, NewCommit, Snapshot } from '@conv/core/store';
import {
  acknowledge,
  bodyJson,
  JournalWrites,
  numbersOf,
  settingsText,
  summaryColumns,
  type BodyAppend,
  type CommitNumbers,
} from '@conv/store-kit';
import type { AppendOutbox } from './append-outbox.ts';
import type { DatabaseThread } from './database-thread.ts';
import { SqliteReader, toEnd, type ReaderParts } from './reader.ts';

/** Limits one group, in commits and in characters of JSON. */
const GROUP = { commits: 512, size: 4 * 1024 * 1024 };

export interface JournalParts extends ReaderParts {
  readonly thread: DatabaseThread;
  readonly outbox: AppendOutbox;
}

/** Writes one conversation. Each transaction checks epoch and number, so a journal that was taken over changes nothing. */
export class SqliteJournal extends SqliteReader implements Journal {
  readonly epoch: number;
  readonly writes: JournalWrites;
  readonly #thread: DatabaseThread;
  readonly #outbox: AppendOutbox;

  constructor(parts: JournalParts) {
    super(parts);
    this.epoch = parts.head.epoch;
    this.writes = new JournalWrites(parts.id, { limits: GROUP, store: (group) => this.#store(group) });
    this.#thread = parts.thread;
    this.#outbox = parts.outbox;
  }

  append(commit: NewCommit, after: StateFields): Promise<Commit> {
    return this.writes.append(commit, after);
  }

  override close(): Promise<void> {
    return this.writes.close(async () => {
      try {
        await this.#thread.call('release', this.key, this.epoch);
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
    const { id: conversation, key, epoch } = this;
    const { numbers } = numbersOf(group, { seq: this.end.seq, epoch, firstEvent: this.end.event });
    const items = group.map(({ body, after }, at) => {
      const { id, events } = body.commit;
      const eventIds = events.map((event) => event.id);
      const [summary, settings] = [summaryColumns(after), settingsText(after, this.id)];
      return {
        ...(numbers[at] as CommitNumbers),
        conversation,
        key,
        id,
        eventIds,
        body: bodyJson(body),
        summary,
        settings,
      };
    });
    const refusals = await this.#outbox.append(items);
    // Invariant: no refusal means that the transaction with this commit is flushed to the disk.
    const refused = refusals.findIndex((refusal) => refusal !== undefined);
    const stored = refused < 0 ? group : group.slice(0, refused);
    const last = items[stored.length - 1];
    if (last) {
      this.moveEnd(toEnd({ seq: last.seq + 1, event: last.firstEvent + last.eventIds.length }));
      acknowledge(stored, numbers);
      this.feed.announce(this.key);
    }
    // Rejects the rest of the group, which was made for a log with the refused commit.
    const refusal = refusals[stored.length];
    if (refusal) throw refusal;
  }
}
