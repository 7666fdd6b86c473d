import { initialFields, type StateFields } from '../contract/state/fields.ts';
import type { Commit, NewCommit, Snapshot } from '../contract/store/commit.ts';
import {
  toCommitSeq,
  toEventIndex,
  type CommitSeq,
  type EventIndex,
  type Damage,
} from '../contract/state/log-position.ts';
import type { CommitRange, Journal, JournalEnd, JournalReader } from '../contract/store/conversation-store.ts';
import { StoreError } from '../contract/errors/store-error.ts';
import { isoNow, type Platform } from '../platform/platform.ts';

/** Conversation in memory, shared by its readers and its journal. */
export interface MemoryLog {
  readonly commits: Commit[];
  readonly waiters: Set<() => void>;
  fields: StateFields;
  epoch: number;
  owner: { readonly owner: string; readonly epoch: number; release(): void } | undefined;
  updatedAt: string;
  snapshot: Snapshot | undefined;
}

export class MemoryReader implements JournalReader {
  readonly damage: readonly Damage[] = [];
  protected readonly log: MemoryLog;
  readonly #indexById = new Map<string, EventIndex>();
  #indexed = 0;
  protected closed = false;
  /** Tells the store that made it. */
  onClose: (() => void) | undefined;

  constructor(log: MemoryLog) {
    this.log = log;
  }

  get end(): JournalEnd {
    const { commits } = this.log;
    const last = commits.at(-1);
    return { seq: toCommitSeq(commits.length), event: toEventIndex(last ? last.firstEvent + last.events.length : 0) };
  }

  async refresh(): Promise<JournalEnd> {
    this.assertOpen();
    return this.end;
  }

  async *commits(range: CommitRange = {}): AsyncGenerator<Commit> {
    this.assertOpen();
    const { from, to } = 'fromEvent' in range ? this.#span(range) : { from: range.from ?? 0, to: range.to ?? Infinity };
    const stop = Math.min(to, this.log.commits.length);
    for (let seq = Math.max(0, from); seq < stop; seq++) yield this.log.commits[seq] as Commit;
  }

  async locate(eventId: string): Promise<EventIndex | undefined> {
    this.assertOpen();
    for (; this.#indexed < this.log.commits.length; this.#indexed++) {
      const commit = this.log.commits[this.#indexed] as Commit;
      commit.events.forEach((event, offset) => {
        if (!this.#indexById.has(event.id)) this.#indexById.set(event.id, toEventIndex(commit.firstEvent + offset));
      });
    }
    return this.#indexById.get(eventId);
  }

  async snapshot(): Promise<Snapshot | undefined> {
    this.assertOpen();
    const { snapshot, commits } = this.log;
    return snapshot && snapshot.seq <= commits.length ? snapshot : undefined;
  }

  async *watch(from: CommitSeq, signal: AbortSignal): AsyncGenerator<Commit> {
    this.assertOpen();
    for (let seq: number = from; !signal.aborted && !this.closed;) {
      const commit = this.log.commits[seq];
      if (commit) {
        yield commit;
        seq++;
      } else await this.#grown(signal);
    }
  }

  async close(): Promise<void> {
    this.closed = true;
    for (const wake of this.log.waiters) wake();
    this.onClose?.();
  }

  protected assertOpen(): void {
    if (this.closed) throw new StoreError('CLOSED', 'the journal is closed; open its conversation again');
  }

  async #grown(signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const wake = (): void => resolve();
    this.log.waiters.add(wake);
    signal.addEventListener('abort', wake, { once: true });
    await promise;
    this.log.waiters.delete(wake);
    signal.removeEventListener('abort', wake);
  }

  /** Returns the commits that hold events of a span, by binary search: `firstEvent` never falls. */
  #span({ fromEvent, toEvent }: { fromEvent: EventIndex; toEvent?: EventIndex }): { from: number; to: number } {
    const { commits } = this.log;
    const lowerBound = (event: number): number => {
      let low = 0;
      let high = commits.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        const { firstEvent, events } = commits[middle] as Commit;
        if (firstEvent + events.length <= event) low = middle + 1;
        else high = middle;
      }
      return low;
    };
    if (toEvent !== undefined && toEvent <= fromEvent) return { from: 0, to: 0 };
    return { from: lowerBound(fromEvent), to: toEvent === undefined ? Infinity : lowerBound(toEvent - 1) + 1 };
  }
}

export class MemoryJournal extends MemoryReader implements Journal {
  readonly epoch: number;
  readonly #platform: Platform;
  readonly #lost = new AbortController();

  constructor(owner: string, platform: Platform, log: MemoryLog = createMemoryLog(platform)) {
    super(log);
    this.#platform = platform;
    this.epoch = ++log.epoch;
    log.owner = { owner, epoch: this.epoch, release: () => this.#release() };
  }

  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  async append(commit: NewCommit, after: StateFields): Promise<Commit> {
    this.assertOpen();
    const { seq, event } = this.end;
    const stored: Commit = { ...commit, seq, epoch: this.epoch, firstEvent: event };
    this.log.commits.push(stored);
    this.log.fields = after;
    this.log.updatedAt = isoNow(this.#platform);
    for (const wake of this.log.waiters) wake();
    return stored;
  }

  async saveSnapshot(snapshot: Snapshot): Promise<void> {
    this.assertOpen();
    this.log.snapshot = snapshot;
  }

  override async close(): Promise<void> {
    this.#release();
  }

  #release(): void {
    if (this.closed) return;
    this.log.owner = undefined;
    void super.close();
  }
}

export function createMemoryLog(platform: Platform): MemoryLog {
  return {
    commits: [],
    waiters: new Set(),
    fields: initialFields,
    epoch: 0,
    owner: undefined,
    updatedAt: isoNow(platform),
    snapshot: undefined,
  };
}
