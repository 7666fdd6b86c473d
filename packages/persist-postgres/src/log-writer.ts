import type { StateFields } from '@conv/core';
import { StoreError, toCommitSeq, toEventIndex, type JournalEnd } from '@conv/core/store';
import { bodyJson, keptText, numbersOf, settingsText, type BodyAppend, type CommitNumbers } from '@conv/store-kit';
import type { AppendCall, AppendLanes } from './append-lanes.ts';
import { commitCrc } from './commit-body.ts';
import type { Database } from './database.ts';
import { DatabaseFailure, toFailure } from './from-postgres-error.ts';
import { toIdKey } from './id-key.ts';
import { isListedAs, toColumns } from './summary.ts';

/** Milliseconds by which the time of change in lists may be behind while a conversation is written. */
const TOUCH_INTERVAL = 1000;

/** Start of a writer: the acquired conversation and the end of its log. */
export interface WriterStart {
  /** Id of the conversation, a dashed UUID. */
  readonly id: string;
  readonly key: number;
  readonly epoch: number;
  readonly turn: number;
  readonly end: JournalEnd;
}

/** Stores one group after the other. For a lost answer `turn` goes up, so that a late statement stores nothing. */
export class LogWriter {
  readonly #database: Database;
  readonly #lanes: AppendLanes;
  readonly #start: WriterStart;
  #turn: number;
  #end: JournalEnd;
  /** True if a lost statement may still store its group. */
  #unsettled = false;
  /** State in the conversation's summary. */
  #listed: StateFields | undefined;
  /** Settings in the stored copy. */
  #kept: string | undefined;
  #touched = -Infinity;

  constructor(database: Database, lanes: AppendLanes, start: WriterStart) {
    this.#database = database;
    this.#lanes = lanes;
    this.#start = start;
    this.#turn = start.turn;
    this.#end = start.end;
  }

  /** End of the log that this writer knows to be durable. */
  get end(): JournalEnd {
    return this.#end;
  }

  /**
   * Resolves with the place of the group when it is durable. Rejects with a store error; nothing of the group is stored then, unless
   * the code is `OUTCOME_UNKNOWN`.
   */
  async store(group: readonly BodyAppend[]): Promise<JournalEnd> {
    const subject = `conversation ${this.#start.id}`;
    try {
      if (this.#unsettled) await this.#database.persist(() => this.#settle());
    } catch (error) {
      // The failure is about the group before; this group was not sent.
      throw toFailure(error, subject).error;
    }
    try {
      // Invariant: each attempt first settles a lost one, so the group is stored at most once.
      return await this.#database.persist(() => this.#attempt(group));
    } catch (error) {
      const failure = toFailure(error, subject);
      if (!this.#unsettled) throw failure.error;
      throw new StoreError(
        'OUTCOME_UNKNOWN',
        `${subject}: whether commit ${group[0]?.body.commit.id} was stored is not known; open the conversation again to see`,
        { cause: failure.error },
      );
    }
  }

  async #attempt(group: readonly BodyAppend[]): Promise<JournalEnd> {
    const stored = this.#unsettled && (await this.#settle(group));
    if (!stored) await this.#appendOnce(group);
    const place = this.#end;
    const { seq, event } = numbersOf(group, this.#place);
    this.#end = { seq: toCommitSeq(seq), event: toEventIndex(event) };
    return place;
  }

  get #place(): CommitNumbers {
    return { seq: this.#end.seq, epoch: this.#start.epoch, firstEvent: this.#end.event };
  }

  async #appendOnce(group: readonly BodyAppend[]): Promise<void> {
    try {
      if (!(await this.#append(group))) await this.#displaced(group);
    } catch (error) {
      this.#unsettled ||= error instanceof DatabaseFailure && error.unknown;
      throw error;
    }
  }

  async #append(group: readonly BodyAppend[]): Promise<boolean> {
    const { id } = this.#start;
    const last = group.at(-1) as BodyAppend;
    const changed = !this.#listed || !isListedAs(this.#listed, last.after);
    const touch = this.#database.platform.monotonic() - this.#touched >= TOUCH_INTERVAL;
    const settings = settingsText(last.after, id);
    const kept = settings === this.#kept ? undefined : keptText(this.#end.seq + group.length, settings);
    // The SQL functions store only if epoch, turn and end are those of this writer; that check is the fence. The copy of the
    // settings goes into the same transaction (docs/decisions/0064-settings-are-acknowledged-with-their-copy.md).
    const single = group.length === 1 && !changed && last.body.commit.events.length === 1;
    const { call, bytes } = single ? this.#callOfOne(last, touch) : this.#callOf(group, changed, touch);
    if (!(await this.#lanes.append(call, kept, bytes))) return false;
    this.#listed = last.after;
    this.#kept = settings;
    if (changed || touch) this.#touched = this.#database.platform.monotonic();
    return true;
  }

  /** Returns the call for a commit with one event that changes nothing in lists. */
  #callOfOne({ body }: BodyAppend, touch: boolean): { readonly call: AppendCall; readonly bytes: number } {
    const { key, epoch } = this.#start;
    const { seq, event: firstEvent } = this.#end;
    const { id, events } = body.commit;
    const text = bodyJson(body);
    const crc = commitCrc(text, { log: key, seq, epoch, firstEvent, events: 1 });
    const eventIds = events.map((event) => toIdKey(event.id));
    const values = [key, epoch, this.#turn, seq, firstEvent, toIdKey(id), crc, text, ...eventIds, touch] as const;
    return { call: { name: 'append_one', values }, bytes: Buffer.byteLength(text) };
  }

  #callOf(
    group: readonly BodyAppend[],
    changed: boolean,
    touch: boolean,
  ): { readonly call: AppendCall; readonly bytes: number } {
    const { key, epoch } = this.#start;
    const commits = group.map(({ body }) => body.commit);
    const { numbers } = numbersOf(group, this.#place);
    const bodies = group.map(({ body }) => Buffer.from(bodyJson(body)));
    const values = [
      commits.map((commit) => toIdKey(commit.id)),
      commits.map(({ events }) => events.length),
      commits.map(({ events }, at) =>
        commitCrc(bodies[at] as Buffer, { log: key, ...(numbers[at] as CommitNumbers), events: events.length }),
      ),
      bodies.map(({ length }) => length),
      bodies.length === 1 ? bodies[0] : Buffer.concat(bodies),
      commits.flatMap(({ events }) => events.map(({ id }) => toIdKey(id))),
      changed ? toColumns((group.at(-1) as BodyAppend).after) : null,
      touch,
    ];
    return {
      call: { name: 'append', values: [key, epoch, this.#turn, this.#end.seq, this.#end.event, ...values] },
      bytes: bodies.reduce((sum, { length }) => sum + length, 0),
    };
  }

  /** Handles a group that was refused because the log is not where this writer left it. */
  async #displaced(group: readonly BodyAppend[]): Promise<void> {
    if (await this.#settle(group)) return;
    throw this.#fenced('is not where it was left: another owner or a restored backup changed it');
  }

  /**
   * Resolves with true if a group was stored; otherwise makes sure that it never will be. Rejects `FENCED` when the conversation
   * has another owner, was deleted, or was replaced by a backup.
   */
  async #settle(group: readonly BodyAppend[] = []): Promise<boolean> {
    const { key, epoch } = this.#start;
    const [row] = await this.#database.attempt('SELECT * FROM @.settle($1, $2, $3)', [key, epoch, this.#end.seq]);
    this.#unsettled = false;
    const first = group[0] && toIdKey(group[0].body.commit.id).replaceAll('-', '');
    const stored = String(row?.['o_id'] ?? '').replaceAll('-', '');
    if (first !== undefined && stored === first) {
      if (Number(row?.['o_epoch']) === epoch) this.#turn = Number(row?.['o_turn']);
      return true;
    }
    if (!row) throw this.#fenced('was deleted');
    if (Number(row['o_epoch']) !== epoch) throw this.#fenced(`is owned in epoch ${String(row['o_epoch'])} now`);
    this.#turn = Number(row['o_turn']);
    const seq = Number(row['o_next_seq']);
    if (group.length === 0) this.#end = { seq: toCommitSeq(seq), event: toEventIndex(Number(row['o_next_event'])) };
    else if (seq !== this.#end.seq) throw this.#fenced('is not where it was left: a restored backup changed it');
    return false;
  }

  #fenced(what: string): StoreError {
    return new StoreError('FENCED', `conversation ${this.#start.id} ${what}; open it again`);
  }
}
