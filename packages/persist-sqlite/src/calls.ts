import type { Finding as CheckFinding, JournalEnd } from '@conv/core/store';
import type { Incomplete, PageSelection, SummaryColumns } from '@conv/store-kit';
import type { RowQuery, StoredRow } from '@conv/store-kit/registry';
import type { SqliteRow } from './driver.ts';
import type { Failure } from './failure.ts';

/** Place of a conversation in the database, and the end of its log. */
export interface Head {
  readonly key: number;
  readonly epoch: number;
  readonly seq: number;
  readonly event: number;
}

/** Commit on its way to the database. */
export interface AppendItem extends NewRow {
  /** Id of the conversation for error messages, a dashed UUID. */
  readonly conversation: string;
  readonly key: number;
  readonly id: string;
  /** Summary after the commit; `null` if the row of the conversation has it. */
  readonly summary: SummaryColumns | null;
  /** Settings after the commit, as JSON; `null` if the row, and the file beside the database, have them. */
  readonly settings: string | null;
  /** Time of change for lists; `null` if the time in the row is new enough. */
  readonly changedAt: string | null;
}

/** Key of a conversation and its time of change. */
export type TimeOfChange = readonly [key: number, time: string];

/** Outcome of one commit; `null` if it is stored and durable. */
export type AppendOutcome = Failure | null;

export interface AcquireInput {
  readonly id: string;
  readonly create: 'never' | 'ifMissing' | 'must';
  readonly owner: string;
  /** Summary of a new conversation until its first commit. */
  readonly summary: SummaryColumns;
}

export interface SnapshotInput {
  readonly key: number;
  readonly epoch: number;
  readonly seq: number;
  readonly version: number;
  readonly data: string;
}

export interface CommitRow {
  readonly seq: number;
  readonly epoch: number;
  readonly firstEvent: number;
  /** JSON of the commit without its numbers. */
  readonly body: string;
}

/** Commit as it is put into a log. */
export interface NewRow extends CommitRow {
  readonly eventIds: readonly string[];
}

/** Part of a range of commits, as many as fit into a message. */
export interface CommitsPart {
  readonly rows: readonly CommitRow[];
  readonly damage: readonly { readonly from: number; readonly to: number; readonly reason: string }[];
  /** Number of the first commit of the next part. */
  readonly next: number;
}

/** Part of a range of commits whose checksums were compared. */
export interface VerifiedPart extends Omit<CommitsPart, 'rows'> {
  /** Characters of the commits with a right checksum. */
  readonly characters: number;
}

export interface Changes {
  readonly version: number;
  /** Ends of the conversations that still exist, by key; left out when nothing has changed since `version`. */
  readonly ends?: ReadonlyMap<number, number>;
}

export interface ForkInput {
  /** Key of the source, and the end of the part that the fork takes. */
  readonly key: number;
  readonly end: { readonly seq: number; readonly event: number };
  readonly newId: string;
  /** JSON of the fork's own commit, which follows the commits of its source. */
  readonly body: string;
  readonly summary: SummaryColumns;
  /** Copy of the fork's settings. */
  readonly kept: string;
}

/** Conversation that is written as a whole. */
export interface ImportInput {
  readonly id: string;
  readonly commits: readonly NewRow[];
  readonly summary: SummaryColumns;
  /** Copy of its settings. */
  readonly kept: string;
}

/** Fault that a check of the database found. */
export interface Finding {
  /** Id of the conversation, a dashed UUID; `null` for the database as a whole. */
  readonly conversationId: string | null;
  /** Description for people: the place and the fault. */
  readonly problem: string;
}

/** Faults in a part of a conversation, and the start of the next part. */
export interface CheckPart {
  readonly findings: readonly CheckFinding[];
  readonly next: number;
}

/** Change of a record. */
export interface ChangedEntry {
  readonly kind: string;
  readonly name: string;
  /** Version that must be stored; null for none. */
  readonly expected: string | null;
  /** Null to remove the record. */
  readonly next: Omit<StoredRow, 'name'> | null;
}

/** Calls that read a part of one conversation, whose size is limited. */
export type Reading = 'find' | 'head' | 'commits' | 'verify' | 'span' | 'snapshot' | 'kept';

/** Calls that a database thread answers for the store. Only the one writing thread gets calls that write. */
export interface DatabaseCalls {
  acquire(input: AcquireInput): Head;
  /** `changedAt`: time of change, if lists do not show it yet. */
  release(key: number, epoch: number, changedAt: string | null): void;
  /** Writes times of change of conversations that the store owns. */
  touch(times: readonly TimeOfChange[]): void;
  /** Moves what is in the write-ahead log into the database, as far as no reader needs it. */
  checkpoint(): void;
  /**
   * Moves all of the write-ahead log into the database, durably, so that the next transaction begins the log anew. False if a reader needs
   * the log for longer than `busyTimeout`.
   */
  restartLog(): boolean;
  append(items: readonly AppendItem[]): readonly AppendOutcome[];
  /** Looks for appends whose answer was lost with a thread, and returns their outcomes. */
  settle(items: readonly AppendItem[]): readonly AppendOutcome[];
  saveSnapshot(input: SnapshotInput): void;
  fork(input: ForkInput): void;
  importConversation(input: ImportInput): void;
  delete(id: string): void;
  find(id: string): Head | undefined;
  head(key: number): Head | undefined;
  commits(key: number, from: number, to: number): CommitsPart;
  verify(key: number, from: number, to: number): VerifiedPart;
  /** `toEvent`: the number after the last event; at most the end of the log. */
  span(key: number, fromEvent: number, toEvent: number): { readonly from: number; readonly to: number };
  locate(key: number, eventId: string, end: number): number | undefined;
  snapshot(key: number, end: number): Omit<SnapshotInput, 'key' | 'epoch'> | undefined;
  list(input: PageSelection): readonly SqliteRow[];
  count(input: PageSelection): number;
  /** `version`: of the last answer. */
  changes(version: number, keys: readonly number[]): Changes;
  /** Writes a copy of the database to a new file. */
  copy(file: string): void;
  check(): readonly Finding[];
  checkShared(repair: boolean): readonly CheckFinding[];
  incomplete(): readonly Incomplete[];
  checkSpans(key: number, repair: boolean): readonly CheckFinding[];
  /** Compares the index with the commits from `from` on. */
  checkIds(key: number, from: number, repair: boolean): CheckPart;
  /** `end`: of the log, which the row must record. */
  checkRow(key: number, end: JournalEnd, repair: boolean): readonly CheckFinding[];
  /** Returns the copies of the settings of a conversation. */
  kept(key: number): readonly string[];
  summaryOf(key: number, seq: number): SqliteRow | undefined;
  rewriteSummary(key: number, summary: SummaryColumns): void;
  rewriteKept(key: number, kept: string): void;
  removeSnapshot(key: number): void;
  entry(kind: string, name: string): StoredRow | undefined;
  entries(input: RowQuery): readonly StoredRow[];
  /** Returns the names and versions of all records of a kind. */
  entryVersions(kind: string): ReadonlyMap<string, string>;
  /** Returns the version that was found. The change was made if it is the expected one. */
  changeEntry(input: ChangedEntry): string | null;
  close(): void;
}
