import type { SubscriberInput, SubscribeOptions, Subscription } from '../contract/conversation/subscriber.ts';
import { EventMask } from '../masking/event-mask.ts';
import type { Masker } from '../contract/safeguards/masker.ts';
import { ConversationError, isConversationError } from '../contract/errors/conversation-error.ts';
import { fromStoreError } from '../contract/errors/from-store-error.ts';
import { createClock, type Event, type EventDraft } from '../events/index.ts';
import type { Commit, NewCommit } from '../contract/store/commit.ts';
import type { Journal, JournalEnd, JournalReader } from '../contract/store/conversation-store.ts';
import { MemoryJournal } from './memory-journal.ts';
import { BranchCache } from './branch-cache.ts';
import { CommitPipeline } from './commit-pipeline.ts';
import { Cursor } from './cursor.ts';
import { Subscriptions } from './subscriptions.ts';
import { DamageRecorder } from './damage-recorder.ts';
import { type EventLog, growingLog } from './event-log.ts';
import { initialFields, type StateFields } from '../contract/state/fields.ts';
import { FifoLock } from './lock.ts';
import { OwnReader } from './own-reader.ts';
import type { StatePatch } from '../contract/state/patch.ts';
import { emptyProjection, type Projection } from './fold/projection.ts';
import { readAround } from './fold/read-state.ts';
import { toSnapshot } from './fold/snapshot.ts';
import { ReadonlyState } from './readonly-state.ts';
import { Transaction, type TransactionHost } from './transaction.ts';
import { ViewCache } from './view-cache.ts';
import { condensableView } from './view/view-cuts.ts';
import type { CondensableView } from '../contract/agent/agent.ts';
import { modelEvents, type View } from './view/view.ts';
import type { Platform } from '../platform/platform.ts';
import { systemPlatform } from '../platform/system-platform.ts';
import { settlesWithin } from '../platform/timers.ts';
import { warn } from '../platform/warn.ts';

/** The number of commits after which a snapshot is kept, so that opening after a crash folds at most as many. */
const COMMITS_PER_SNAPSHOT = 256;

/**
 * The state of a conversation and its one writer in this process. Reading gives the durable state. Changing goes through
 * {@link ConversationState.transaction}; its commit is durable when it resolves (`CommitPipeline` is where that
 * happens). Subscribers are called after that, outside the lock.
 *
 * `new ConversationState()` keeps everything in memory: the same events give the same state with or without a store.
 */
export class ConversationState extends ReadonlyState {
  readonly events: EventLog;
  /** Times, timers and ids for everything that works on this state. */
  readonly platform: Platform;
  /** Masks texts, drafts and errors before they are stored or shown: values of secrets are replaced (P9). */
  readonly mask: EventMask;
  /** Aborted when another process took the conversation over, or an answer of the store was lost for good. */
  readonly lost: AbortSignal;
  /** The subscribers, for deliveries outside the log: pieces of answers and of tool output. */
  readonly subscriptions: Subscriptions = new Subscriptions();
  /** Reads the durable log, for folds of its past. Its failures are errors of this conversation. */
  readonly reader: JournalReader;
  readonly #log: ReturnType<typeof growingLog>;
  readonly #journal: Journal;
  readonly #pipeline: CommitPipeline;
  readonly #lock: FifoLock = new FifoLock();
  readonly #host: TransactionHost;
  readonly #view: ViewCache;
  readonly #branches: BranchCache;
  readonly #damage: DamageRecorder;
  readonly #lost = new AbortController();
  #commitsSinceSnapshot = 0;
  #closing: Promise<void> | undefined;

  constructor(
    options: {
      /** Gives times, timers and ids. Default: the platform of the host. */
      readonly platform?: Platform | undefined;
      /** Masks secrets in everything that is stored or read again (P9). Default: nothing is masked. */
      readonly masker?: Masker | undefined;
    } = {},
    journal: Journal = new MemoryJournal('memory', options.platform ?? systemPlatform),
    projection: Projection = emptyProjection,
  ) {
    const platform = options.platform ?? systemPlatform;
    let recorder: DamageRecorder | undefined;
    const pipeline = new CommitPipeline(journal, projection, {
      durable: (commit) => this.#publish(commit),
      lost: (error) => this.#lost.abort(error),
    });
    const durable = (): Projection => pipeline.durable;
    const id = (): string => durable().fields.id;
    const reader = new OwnReader(journal, id, () => recorder?.found());
    const mask = new EventMask(options.masker);
    const head = (): string | null => durable().fields.leafEventId;
    const log = growingLog(reader, projection.end.event, head, mask);
    const { events } = log;
    super(durable, (leaf) => events.messages(leaf), mask);
    this.events = events;
    this.#log = log;
    this.mask = mask;
    this.lost = this.#lost.signal;
    this.platform = platform;
    this.#journal = journal;
    this.reader = reader;
    this.#pipeline = pipeline;
    this.#view = new ViewCache(events, async () => (await reader.snapshot())?.data['view']);
    const branches = new BranchCache(reader);
    this.#branches = branches;
    this.#host = {
      clock: createClock(platform),
      newId: platform.id,
      mask,
      has: async (id) => pipeline.carries(id) || (await events.indexOf(id)) !== undefined,
      branches: async (leaves) => {
        // A branch is read from the store, which does not have the commits in flight yet.
        if (!leaves.every((leaf) => branches.has(leaf))) await pipeline.settled();
        return branches.load(leaves);
      },
      left: (leaf, branch) => branches.keep(leaf, branch),
    };
    const transaction = (work: (within: Transaction) => Promise<void>): Promise<void> => this.transaction(work);
    recorder = new DamageRecorder({ platform, reader, lock: this.#lock, pipeline, transaction });
    this.#damage = recorder;
    const lose = (): void => this.#lost.abort(journal.lost.reason);
    journal.lost.addEventListener('abort', lose, { once: true });
    // the journal may have been lost while its log was read
    if (journal.lost.aborted) lose();
  }

  /**
   * Resolves with the state of an open journal: from its snapshot and the commits after it. An empty journal gets commit 0 with
   * `initial`. From then on the state owns the journal and closes it. Rejects {@link ConversationError} `STORE_FAILED`.
   */
  static async open(
    journal: Journal,
    initial: Partial<StateFields> = {},
    options: ConstructorParameters<typeof ConversationState>[0] = {},
  ): Promise<ConversationState> {
    try {
      const { projection: read, found } = await readAround(journal);
      const projection = found.length > 0 ? withId(read, initial.id) : read;
      const state = new ConversationState(options, journal, projection);
      if (projection.end.seq === 0) await state.update({ set: { ...initialFields, ...initial } });
      else if (found.length > 0) await state.#damage.record(found);
      return state;
    } catch (error) {
      throw fromStoreError(error, initial.id);
    }
  }

  /** The end of the durable log. */
  get end(): JournalEnd {
    return this.#pipeline.durable.end;
  }

  /** The accepted state: the durable state and the commits in flight. */
  get accepted(): StateFields {
    return this.#pipeline.accepted.fields;
  }

  /**
   * Runs `work` alone, in the order of the calls, on the accepted state; its changes become one commit. Resolves with the result of `work` when that commit
   * is durable; the lock is released before that. Work that changes nothing has read commits in flight, so it waits for them, and is rejected with them. When
   * `work` throws nothing is changed. A call from inside `work` without `within` rejects `DEADLOCK`.
   */
  async transaction<T>(work: (transaction: Transaction) => T | Promise<T>, within?: Transaction): Promise<T> {
    if (within) return work(within);
    let stored: Promise<void> | undefined;
    const result = await this.#lock.run(async () => {
      this.#assertOpen();
      const transaction = new Transaction(this.#host, this.#pipeline.accepted);
      let worked: T;
      try {
        worked = await work(transaction);
      } catch (error) {
        transaction.end();
        throw error;
      }
      stored = this.#store(transaction.end());
      return worked;
    });
    await stored;
    // Damage that was read inside a transaction could not be recorded there.
    void this.#damage.settled();
    return result;
  }

  /**
   * Reads the branch that ends with `leaf`, so that a transaction can move HEAD there without holding the lock while it is
   * read. Does nothing for an event that is not there.
   */
  async readBranch(leaf: string | null): Promise<void> {
    await this.#branches.load([leaf]);
  }

  /** Appends events in one commit; resolves with them when they are durable. */
  append(drafts: readonly EventDraft[], options: Pick<NewCommit, 'patch' | 'records'> = {}): Promise<readonly Event[]> {
    return this.transaction(async (transaction) => {
      const events = await transaction.append(...drafts);
      if (options.patch) transaction.update(options.patch);
      if (options.records) transaction.record(...options.records);
      return events;
    });
  }

  /** Changes fields without an event; resolves when durable. */
  update(patch: StatePatch): Promise<void> {
    return this.transaction((transaction) => transaction.update(patch));
  }

  /** Resolves with the events to ask a model with: the live branch, condensed and repaired, without an open batch (P5). */
  async modelView(): Promise<readonly Event[]> {
    return (await this.condensableView()).events;
  }

  /** Resolves with the same events and the facts that a condenser needs. Only events that `isShown` accepts, default all, belong to it. */
  async condensableView(isShown?: (event: Event) => boolean): Promise<CondensableView> {
    const view = await this.#wholeView();
    const events = modelEvents(view);
    const shown = isShown ? events.filter(isShown) : events;
    return condensableView(view, this.mask.active ? shown.map((event) => this.mask.event(event)) : shown);
  }

  /** Resolves with the live view. Before any model is asked, damage found in it is recorded, and calls have results (P4, P5). */
  async #wholeView(): Promise<View> {
    const read = (): Promise<View> => this.#view.viewOf(this.#pipeline.durable.fields.leafEventId);
    const { seq } = this.end;
    let view: View | undefined;
    let failure: unknown;
    try {
      view = await read();
    } catch (error) {
      failure = error;
    }
    await this.#damage.settled();
    if (view && this.end.seq === seq) return view;
    if (failure !== undefined && this.end.seq === seq) throw failure;
    return read();
  }

  /**
   * Subscribes to the log from the next event on, or from the place that the options name. See {@link Subscriber}. Throws
   * `INVALID_INPUT` for a value that is not a subscriber, and for a `from` that is not the number of an event.
   */
  subscribe(subscriber: SubscriberInput, options: SubscribeOptions = {}): Subscription {
    const cursor = new Cursor(subscriber, this.events, this.fields, options, this.mask.error);
    return this.subscriptions.add(cursor, this.fields);
  }

  /** Resolves when every subscriber was given the events that are durable now, or after `grace` milliseconds. */
  async delivered(grace: number): Promise<void> {
    const { event } = this.end;
    await settlesWithin(this.platform, grace, this.subscriptions.caughtUp(event));
  }

  /** Forgets events, and the view if its snapshot is stored, which are read from the store again when they are needed. For a conversation that nothing works on. */
  async rest(): Promise<void> {
    const { seq } = this.end;
    const forgetsView = this.#view.canForget && (await this.#keepSnapshot());
    if (this.end.seq !== seq) return;
    if (forgetsView) this.#view.forget();
    this.#log.forget();
  }

  /** Waits for commits in flight, keeps a snapshot, gives up ownership, ends the subscriptions. Idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#close().catch((error: unknown) => {
      // The call came from inside a transaction, so nothing was closed.
      if (isConversationError(error, 'DEADLOCK')) this.#closing = undefined;
      throw error;
    });
    return this.#closing;
  }

  async #close(): Promise<void> {
    await this.#lock.run(() => undefined);
    await this.#pipeline.settled();
    this.subscriptions.tell((cursor) => cursor.unsubscribe());
    if (!this.#lost.signal.aborted) await this.#keepSnapshot();
    // Invariant: the journal is open while damage is put on record, also damage that these last reads have found.
    if (!this.#lost.signal.aborted) await this.#damage.settled();
    await this.#journal.close();
  }

  /** Stores the changes of a transaction; without changes waits for the commits that it has read. */
  async #store(changes: ReturnType<Transaction['end']>): Promise<void> {
    try {
      if (!changes) return await this.#pipeline.acceptedIsDurable();
      const { lookup, ...commit } = changes;
      await this.#pipeline.accept({ id: this.platform.id(), ...commit }, lookup);
    } catch (error) {
      throw fromStoreError(error, this.id);
    }
  }

  #publish(commit: Commit): void {
    this.#log.admit(commit);
    for (const event of commit.events) this.#view.admit(event);
    this.subscriptions.tell((cursor) => cursor.wake(this.fields));
    if (++this.#commitsSinceSnapshot < COMMITS_PER_SNAPSHOT) return;
    this.#commitsSinceSnapshot = 0;
    void this.#keepSnapshot();
  }

  /** A snapshot is a cache: failing to keep one costs time on the next open and nothing else. Resolves with false then. */
  async #keepSnapshot(): Promise<boolean> {
    try {
      const view = await this.#view.checkpoint();
      const { data, ...snapshot } = toSnapshot(this.#pipeline.durable);
      await this.#journal.saveSnapshot({ ...snapshot, data: view ? { ...data, view } : data });
      return true;
    } catch (error) {
      warn(this.mask.error(error), 'SnapshotWarning');
      return false;
    }
  }

  #assertOpen(): void {
    if (this.#lost.signal.aborted) throw fromStoreError(this.#lost.signal.reason, this.id);
    if (!this.#closing) return;
    const text = `conversation ${this.id} was closed; open it again with resume`;
    throw new ConversationError('CLOSED', text, { conversationId: this.id });
  }
}

/**
 * Returns the state under its id. If the commit that states a fork's id is lost, the state has the id of the source. A state
 * without an id has lost its first commit, whose fields opening restores.
 */
function withId(projection: Projection, id = projection.fields.id): Projection {
  const { fields } = projection;
  return fields.id === '' ? projection : { ...projection, fields: { ...fields, id } };
}
