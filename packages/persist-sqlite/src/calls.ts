import type { Finding as CheckFinding } from '@conv/core/store';
import type { Failure } from './failure.ts';

/** Where a conversation is in the database and where its log ends. */
export interface Head {
  readonly key: number;
  readonly epoch: number;
  readonly seq: number;
  readonly event: number;
}

/** What lists show of a conversation, as it is kept: titles, tags and origins as JSON. */
export interface SummaryColumns {
  readonly title: string;
  readonly status: string;
  readonly createdAt: string;
  readonly tags: string;
  readonly parentId: string | null;
  readonly forkedFrom: string | null;
}

/** A row of a list. */
export interface SummaryRow extends SummaryColumns {
  readonly id: string;
  readonly updatedAt: string;
  /** Why the rest is not what was stored. */
  readonly unreadable?: string;
}

/** A commit on its way to the database. */
export interface AppendItem {
  /** The journal that appends it, and how often it was refused something before. */
  readonly journal: number;
  readonly generation: number;
  /** For messages: a dashed UUID. */
  readonly conversation: string;
  readonly key: number;
  readonly epoch: number;
  readonly seq: number;
  readonly firstEvent: number;
  readonly id: string;
  readonly eventIds: readonly string[];
  /** The JSON of the commit without its numbers. */
  readonly body: string;
  readonly summary: SummaryColumns;
  /** The settings behind it, as JSON. */
  readonly settings: string;
  /** It is refused when its turn comes, and what its journal appended behind it. */
  readonly refusal?: Failure;
}

/** `null`: stored and durable. */
export type AppendOutcome = Failure | null;

export interface AcquireInput {
  readonly id: string;
  readonly create: 'never' | 'ifMissing' | 'must';
  readonly owner: string;
  readonly journal: number;
  /** What a new conversation is listed with until its first commit. */
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

/** A part of a range of commits: as many as fit into a message. */
export interface CommitsPart {
  readonly rows: readonly CommitRow[];
  readonly damage: readonly { readonly from: number; readonly to: number; readonly reason: string }[];
  /** Where the next part begins. */
  readonly next: number;
}

export interface SpanInput {
  readonly key: number;
  readonly fromEvent: number;
  /** Exclusive; at most the end of the log. */
  readonly toEvent: number;
}

export interface LocateInput {
  readonly key: number;
  readonly eventId: string;
  readonly end: number;
}

/** Which conversations a list holds. */
export interface ListFilter {
  readonly status?: string | undefined;
  /** Those of these parents. */
  readonly parentIds?: readonly string[] | undefined;
}

export interface ListInput extends ListFilter {
  readonly limit: number;
  readonly sortBy: 'createdAt' | 'updatedAt';
  readonly order: 'ascending' | 'descending';
  /** Behind this sort key and id. */
  readonly after?: { readonly key: string; readonly id: string } | undefined;
}

export interface ChangesInput {
  /** As of the last answer. */
  readonly version: number;
  readonly keys: readonly number[];
}

export interface Changes {
  readonly version: number;
  /** Where the conversations end that are still there, by key; left out when nothing was changed since `version`. */
  readonly ends?: ReadonlyMap<number, number>;
}

export interface ForkInput {
  /** The source, and how much of it. */
  readonly key: number;
  readonly end: { readonly seq: number; readonly event: number };
  readonly newId: string;
  /** The JSON of the fork's own commit, put behind those of its source. */
  readonly body: string;
  readonly summary: SummaryColumns;
  /** A copy of its settings. */
  readonly kept: string;
}

/** A conversation that is written as a whole. */
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

/** A fault that a check of the database found. */
export interface Finding {
  /** A dashed UUID; `null` when it is the database as a whole. */
  readonly conversationId: string | null;
  /** For people: where it is and what is wrong. */
  readonly problem: string;
}

/** The next commits whose events are looked for by their ids. */
export interface CheckPartInput {
  readonly key: number;
  readonly from: number;
  readonly repair: boolean;
}

/** What is wrong in a part of a conversation, and where the next part begins. */
export interface CheckPart {
  readonly findings: readonly CheckFinding[];
  readonly next: number;
}

/** A row that is to say where its log ends. */
export interface RowInput {
  readonly key: number;
  readonly repair: boolean;
  readonly seq: number;
  readonly event: number;
}

/** A row that lists show, and where the log is that it is compared with. */
export interface SummaryInput {
  readonly key: number;
  readonly seq: number;
}

/** What a database thread does on behalf of the store. Writes are made by the one thread that writes. */
export interface DatabaseCalls {
  acquire(input: AcquireInput): Head;
  release(input: ReleaseInput): void;
  append(items: readonly AppendItem[]): readonly AppendOutcome[];
  /** What became of appends whose answer was lost with a thread. */
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
  /** Writes a copy of the database into a file that is not there yet. */
  copy(file: string): void;
  check(): readonly Finding[];
  checkShared(repair: boolean): readonly CheckFinding[];
  checkSpans(input: { readonly key: number; readonly repair: boolean }): readonly CheckFinding[];
  checkIds(input: CheckPartInput): CheckPart;
  checkRow(input: RowInput): readonly CheckFinding[];
  /** Copies of the settings of a conversation. */
  kept(key: number): readonly string[];
  summaryOf(input: SummaryInput): SummaryColumns | undefined;
  rewriteSummary(input: { readonly key: number; readonly summary: SummaryColumns }): void;
  close(): void;
}
