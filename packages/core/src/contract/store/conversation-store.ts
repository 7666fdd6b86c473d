import type { Damage, CommitSeq, EventIndex } from '../state/log-position.ts';
import type { StateFields } from '../state/fields.ts';
import type { StatePatch } from '../state/patch.ts';
import type { CheckOptions, CheckResult } from './check-result.ts';
import type { Commit, NewCommit, Snapshot } from './commit.ts';

/** Capabilities of a store beyond the contract. Read by callers and by the conformance suite. */
export interface StoreFeatures {
  /** The failure that an acknowledged commit survives: the end of the process, a power loss of this machine, or the loss of a machine. */
  readonly durability: 'process' | 'power' | 'machine';
  /** The scope of one writer per conversation: the users of this object, the processes of one kernel, or all machines. */
  readonly exclusion: 'instance' | 'kernel' | 'cluster';
  /** True if another store object on the same backend sees the writes of this object. */
  readonly shared: boolean;
  /** The largest commit it takes, in bytes of JSON. */
  readonly maxCommitBytes: number;
}

/** Options of {@link ConversationStore.open}. */
export interface OpenOptions {
  /** `never`: reject `NOT_FOUND` when the conversation is missing. `must`: reject `EXISTS` when it exists. Default `ifMissing`. */
  readonly create?: 'never' | 'ifMissing' | 'must';
  /** A name for people, shown to a second opener in `OWNED`. */
  readonly owner: string;
  readonly signal?: AbortSignal;
}

/** Entry of a list of conversations; made without opening any of them. */
export interface ConversationSummary {
  /** A dashed UUID. */
  readonly id: string;
  readonly title: string | null;
  /** May be older than the newest commit by the store's debounce. */
  readonly status: string;
  /** UTC, ISO 8601. */
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly parentId: string | null;
  readonly forkedFrom: { readonly conversationId: string; readonly eventId: string | null } | null;
  /** The reason why there is no summary, such as damage or a missing permission; absent for a complete summary. */
  readonly unreadable?: string;
}

/** The selection and the order of {@link ConversationStore.list}. */
export interface ListQuery {
  /** The maximum number of conversations, 1 to 100. Default 20. */
  readonly limit?: number;
  /** The `next` of the page before. */
  readonly page?: string;
  /** Default `updatedAt`. Ties are broken by id. */
  readonly sortBy?: 'createdAt' | 'updatedAt';
  /** Default `descending`. */
  readonly order?: 'ascending' | 'descending';
  readonly status?: string;
  /** Only children of one of these conversations; dashed UUIDs. */
  readonly parentIds?: readonly string[];
  /** True to count the conversations of all pages. */
  readonly total?: boolean;
}

/** A page of a list. */
export interface ListPage {
  readonly items: readonly ConversationSummary[];
  /** The `page` of the next query; `undefined` on the last page. */
  readonly next?: string;
  /** The number of conversations on all pages; set when the query asks for it. */
  readonly total?: number;
}

/** Options of {@link ConversationStore.fork}. */
export interface ForkOptions {
  /** Keep only the path from the root to this event, renumbered from 0. Default: the whole log. */
  readonly from?: string;
  /** The fork's last commit, written when the fork is created. */
  readonly patch: StatePatch;
}

/**
 * A store of conversations: the contract that each storage adapter implements. `docs/adapters.md` explains it with an example,
 * `@conv/store-kit` has the common parts, and the store suite of `@conv/conformance` checks an implementation.
 */
export interface ConversationStore {
  readonly features: StoreFeatures;
  /**
   * Opens a conversation for writing and becomes its only writer. Resolves when every older owner is fenced off. Rejects
   * `OWNED` while another owner lives, `NOT_FOUND`, `EXISTS`, `INVALID_ID`, `DENIED`, `UNSUPPORTED`, `CORRUPT`, `UNAVAILABLE`,
   * `OUTCOME_UNKNOWN` when the conversation may have been made and is not owned, or `signal.reason`.
   */
  open(id: string, options: OpenOptions): Promise<Journal>;
  /**
   * Opens a conversation for reading, from any process at any time, even while another process writes. Resolves `undefined`
   * when it is not there.
   */
  read(id: string): Promise<JournalReader | undefined>;
  /**
   * Lists conversations without opening any. Each appears once over all pages unless its sort key changes in between. A
   * conversation that cannot be read is listed as `unreadable`, and hides no other.
   */
  list(query?: ListQuery): Promise<ListPage>;
  /**
   * Creates `newId` from the durable content of `id`. Resolves when the fork can be opened; the fork is atomic. Rejects
   * `NOT_FOUND` for the conversation or the event, `EXISTS` for `newId`, `OUTCOME_UNKNOWN` when the fork may have been made.
   * Deleting either never harms the other.
   */
  fork(id: string, newId: string, options: ForkOptions): Promise<void>;
  /**
   * Removes a conversation and fences off its writer. Resolves even when it is not there; rejects `OWNED` while another owner
   * lives, `OUTCOME_UNKNOWN` when the conversation may have been deleted.
   */
  delete(id: string): Promise<void>;
  /**
   * Reads every record of a conversation and names the errors; without an id it reads the data that all conversations share. With
   * `repair` it restores records that have an intact copy, records lost commits in the log, and changes nothing else. Rejects
   * `NOT_FOUND`, `INVALID_ID`, `OWNED` (a repair, while another owner lives), `CORRUPT` when nothing can be read, with errors of
   * reading, or with `signal.reason`.
   */
  check(id: string | undefined, options?: CheckOptions): Promise<CheckResult>;
  /** Closes every journal and reader of this object. Idempotent. */
  close(): Promise<void>;
}

/** The end of a log: the numbers that the next commit and the next event will have. */
export interface JournalEnd {
  readonly seq: CommitSeq;
  readonly event: EventIndex;
}

/** A range of commits: by their numbers, or by the events that they hold. Ends are exclusive; default: all. */
export type CommitRange =
  | { readonly from?: CommitSeq | undefined; readonly to?: CommitSeq | undefined }
  | { readonly fromEvent: EventIndex; readonly toEvent?: EventIndex };

/** A copy of the state, or of a part of it, that is kept beside the log. */
export interface KeptState {
  /** The copy shows the commits before this one. */
  readonly seq: CommitSeq;
  readonly fields: Partial<StateFields>;
}

/** Reads a conversation. Delivers durable commits only. */
export interface JournalReader {
  /** The end as this reader last saw it; `watch` and `refresh` move it. The end of a journal is always current. */
  readonly end: JournalEnd;
  /**
   * Spans that were found damaged so far, each once. `commits` leaves them out, except for restored events: a commit of the
   * span holds these, and its patch makes the policy AlwaysConfirm.
   */
  readonly damage: readonly Damage[];
  /** Reads the end of the log again. */
  refresh(): Promise<JournalEnd>;
  /** Returns commits in order, up to the end as of the call. Rejects `CORRUPT` only when nothing more can be read. */
  commits(range?: CommitRange): AsyncIterable<Commit>;
  /** Resolves with the number of the first event with this id; `undefined` when there is none. Does not read the whole log. */
  locate(eventId: string): Promise<EventIndex | undefined>;
  /** Resolves with the newest snapshot that is not ahead of the durable log. */
  snapshot(): Promise<Snapshot | undefined>;
  /** Reads commits as `commits` does and finds the same damage, but decodes none. Resolves with their size. Absent where it saves nothing. */
  verify?(from: number, to: number): Promise<number>;
  /** Returns whole copies of the state beside the log, which are read when commits are lost. A store without copies has no such method. */
  kept?(): Promise<readonly KeptState[]>;
  /**
   * Returns the commits from `from` on, then each new commit as it becomes durable, until `signal` aborts; then it ends without
   * an error. While the store cannot be reached (`UNAVAILABLE`), it waits, and continues after the gap when the store is back.
   */
  watch(from: CommitSeq, signal: AbortSignal): AsyncIterable<Commit>;
  /** Idempotent. */
  close(): Promise<void>;
}

/** Writes a conversation: one journal at a time, over all processes that the store excludes. */
export interface Journal extends JournalReader {
  /** Raised by every takeover. */
  readonly epoch: number;
  /** Aborted with a {@link StoreError} `FENCED` when this journal has lost its conversation. */
  readonly lost: AbortSignal;
  /**
   * Stores a commit. Resolves when it is durable; commits become durable in the order of the calls, sharing device flushes.
   * `after` is the state with this commit applied, for stores that keep a readable view or an index for lists.
   * Rejects `FENCED`, `FULL`, `UNAVAILABLE`, `OUTCOME_UNKNOWN`, `TOO_LARGE` or `CLOSED`; every later call made before the
   * rejection is rejected too and not stored.
   */
  append(commit: NewCommit, after: StateFields): Promise<Commit>;
  /** Stores a snapshot. It may be lost; readers never take it for more than it is. */
  saveSnapshot(snapshot: Snapshot): Promise<void>;
  /** Stores pending data and gives up ownership. Idempotent. */
  close(): Promise<void>;
}
