import type { Finding as CheckFinding } from '@conv/core/store';
import type { Failure } from './failure.ts';

/** Place of a conversation in the database, and the end of its log. */
export interface Head {
  readonly key: number;
  readonly epoch: number;
  readonly seq: number;
  readonly event: number;
}

/** Summary of a conversation for lists, as it is stored: titles, tags and origins as JSON. */
export interface SummaryColumns {
  readonly title: string;
  readonly status: string;
  readonly createdAt: string;
  readonly tags: string;
  readonly parentId: string | null;
  readonly forkedFrom: string | null;
}

/** Row of a list. */
export interface SummaryRow extends SummaryColumns {
  readonly id: string;
  readonly updatedAt: string;
  /** Reason why the other members are not the stored ones. */
  readonly unreadable?: string;
}

/** Commit on its way to the database. */
export interface AppendItem {
  /** Number of the journal that appends it, and the number of refusals in that journal before. */
  readonly journal: number;
  readonly generation: number;
  /** Id of the conversation for error messages, a dashed UUID. */
  readonly conversation: string;
  readonly key: number;
  readonly epoch: number;
  readonly seq: number;
  readonly firstEvent: number;
  readonly id: string;
  readonly eventIds: readonly string[];
  /** JSON of the commit without its numbers. */
  readonly body: string;
  readonly summary: SummaryColumns;
  /** Settings after the commit, as JSON. */
  readonly settings: string;
  /** Set if the commit is to be refused when its turn comes, with all later commits of its journal. */
  readonly refusal?: Failure;
}

/** Outcome of one commit; `null` if it is stored and durable. */
export type AppendOutcome = Failure | null;

export interface AcquireInput {
  readonly id: string;
  readonly create: 'never' | 'ifMissing' | 'must';
  readonly owner: string;
  readonly journal: number;
  /** Summary of a new conversation until its first commit. */
  readonly summary: SummaryColumns;
}

export interface ReleaseInput {
  readonly key: number;
  readonly epoch: number;
  readonly journal: number;
}

export interface SnapshotInput {
  readonly key: number;
  readonly epoch: number;
  readonly seq: number;
  readonly version: number;
  readonly data: string;
}

export interface SnapshotRow {
  readonly seq: number;
  readonly version: number;
  readonly data: string;
}

export interface CommitsInput {
  readonly key: number;
  readonly from: number;
  readonly to: number;
}

export interface CommitRow {
  readonly seq: number;
  readonly epoch: number;
  readonly firstEvent: number;
  readonly body: string;
}

/** Part of a range of commits, as many as fit into a message. */
export interface CommitsPart {
  readonly rows: readonly CommitRow[];
  readonly damage: readonly { readonly from: number; readonly to: number; readonly reason: string }[];
  /** Number of the first commit of the next part. */
  readonly next: number;
}

export interface SpanInput {
  readonly key: number;
  readonly fromEvent: number;
  /** Number behind the last event; at most the end of the log. */
  readonly toEvent: number;
}

export interface LocateInput {
  readonly key: number;
  readonly eventId: string;
  readonly end: number;
}

/** Selects the conversations of a list. */
export interface ListFilter {
  readonly status?: string | undefined;
  /** Only conversations with one of these parents. */
  readonly parentIds?: readonly string[] | undefined;
}

export interface ListInput extends ListFilter {
  readonly limit: number;
  readonly sortBy: 'createdAt' | 'updatedAt';
  readonly order: 'ascending' | 'descending';
  /** Sort key and id of the last conversation before the page. */
  readonly after?: { readonly key: string; readonly id: string } | undefined;
}

export interface ChangesInput {
  /** Version of the last answer. */
  readonly version: number;
  readonly keys: readonly number[];
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
  readonly commits: readonly {
    readonly seq: number;
    readonly epoch: number;
    readonly firstEvent: number;
    readonly eventIds: readonly string[];
    readonly body: string;
  }[];
  readonly summary: SummaryColumns;
}

/** Fault that a check of the database found. */
export interface Finding {
  /** Id of the conversation, a dashed UUID; `null` for the database as a whole. */
  readonly conversationId: string | null;
  /** Description for people: the place and the fault. */
  readonly problem: string;
}

/** Commits whose events are looked up by their ids next. */
export interface CheckPartInput {
  readonly key: number;
  readonly from: number;
  readonly repair: boolean;
}

/** Faults in a part of a conversation, and the start of the next part. */
export interface CheckPart {
  readonly findings: readonly CheckFinding[];
  readonly next: number;
}

/** Row of a conversation, and the end of the log that the row must record. */
export interface RowInput {
  readonly key: number;
  readonly repair: boolean;
  readonly seq: number;
  readonly event: number;
}

/** Row that lists show, and the end of the log that it is compared with. */
export interface SummaryInput {
  readonly key: number;
  readonly seq: number;
}

/** Calls that a database thread answers for the store. Only the one writing thread gets calls that write. */
export interface DatabaseCalls {
  acquire(input: AcquireInput): Head;
  release(input: ReleaseInput): void;
  append(items: readonly AppendItem[]): readonly AppendOutcome[];
  /** Looks for appends whose answer was lost with a thread, and returns their outcomes. */
  settle(items: readonly AppendItem[]): readonly AppendOutcome[];
  saveSnapshot(input: SnapshotInput): void;
  fork(input: ForkInput): void;
  importConversation(input: ImportInput): void;
  delete(id: string): void;
  find(id: string): Head | undefined;
  head(key: number): Head | undefined;
  commits(input: CommitsInput): CommitsPart;
  span(input: SpanInput): { readonly from: number; readonly to: number };
  locate(input: LocateInput): number | undefined;
  snapshot(input: { readonly key: number; readonly end: number }): SnapshotRow | undefined;
  list(input: ListInput): readonly SummaryRow[];
  count(filter: ListFilter): number;
  changes(input: ChangesInput): Changes;
  /** Writes a copy of the database to a new file. */
  copy(file: string): void;
  check(): readonly Finding[];
  checkShared(repair: boolean): readonly CheckFinding[];
  checkSpans(input: { readonly key: number; readonly repair: boolean }): readonly CheckFinding[];
  checkIds(input: CheckPartInput): CheckPart;
  checkRow(input: RowInput): readonly CheckFinding[];
  /** Returns the copies of the settings of a conversation. */
  kept(key: number): readonly string[];
  summaryOf(input: SummaryInput): SummaryColumns | undefined;
  rewriteSummary(input: { readonly key: number; readonly summary: SummaryColumns }): void;
  close(): void;
}
