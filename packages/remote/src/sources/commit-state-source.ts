import {
  projections,
  initialFields,
  type BranchState,
  type OpenCall,
  type Projection,
  type StateFields,
} from '@conv/core';
import { isEvent, type Event } from '@conv/core/events';
import { toCommitSeq, toEventIndex } from '@conv/core/store';

import { toCommit, type EventReader } from './event-reader.ts';
import type { CommitReader } from './commit-reader.ts';
import type { WireState } from './state-at.ts';
import type { PullOptions, StateSource, Step } from './state-source.ts';

/** Number of newest events that are read to find open calls. */
const TAIL = 200;

/**
 * Reads the state of a conversation from a server that gives its commits, with the same fold as on the server. Events that a socket
 * brings early are folded on top until their commit was read.
 */
export class CommitStateSource implements StateSource {
  readonly #reader: EventReader;
  readonly #commits: CommitReader;
  /** State of the commits alone, without events that a socket brought early. */
  #base: Projection = projections.empty;

  constructor(reader: EventReader, commits: CommitReader) {
    this.#reader = reader;
    this.#commits = commits;
  }

  async open(): Promise<Projection> {
    const state = await this.#commits.stateAt();
    await this.#commits.remember(state.seq);
    await this.#reader.open();
    const { branch, lastTimestamp } = await this.#branchOf(state.fields, state.events);
    const end = { seq: toCommitSeq(state.seq + 1), event: toEventIndex(state.events) };
    this.#base = { fields: state.fields, branch: await completed(this.#reader, branch, state), end, lastTimestamp };
    return this.#base;
  }

  async *pull(before: Projection, { compare }: PullOptions): AsyncGenerator<Step> {
    for await (const commit of this.#commits.after(this.#base.end.seq - 1, { compare })) {
      this.#reader.admit(commit.firstEvent, commit.events);
      this.#base = await projections.foldCommit(this.#commits, this.#base, commit);
      // an event that a socket brought stays until its commit was read
      if (this.#base.end.event >= before.end.event) yield { projection: this.#base, commit };
    }
  }

  async ahead(projection: Projection, index: number, event: Event): Promise<Step> {
    this.#reader.admit(index, [event]);
    const commit = toCommit(index, [event], projection.end.seq);
    const after = await projections.foldCommit(this.#commits, projection, commit);
    return { projection: beginsToAsk(projection, after) ? working(after) : after, commit };
  }

  async refresh(): Promise<Projection> {
    const { fields } = await this.#commits.stateAt(this.#base.end.seq - 1);
    this.#base = { ...this.#base, fields, branch: await openAnew(this.#reader, this.#base.branch) };
    return this.#base;
  }

  /** Changes nothing: commits say it all. */
  updated(projection: Projection): Step {
    return { projection };
  }

  /** Returns false: commits are compared by REST, because a commit without events leaves no trace in numbered events. */
  proves(): boolean {
    return false;
  }

  /** Returns false: a published state names no commit, so the commits that it was made from are read. */
  covers(): boolean {
    return false;
  }

  /** Changes nothing: commits say it all. */
  async published(projection: Projection): Promise<Step> {
    return { projection };
  }

  /** Changes nothing: commits say it all. */
  async overlay(projection: Projection): Promise<Step> {
    return { projection };
  }

  /** Folds the end of the log to find the open calls of the live branch. Folds further back only if HEAD is older. */
  async #branchOf(fields: StateFields, events: number): Promise<Projection> {
    const from = Math.max(0, events - TAIL);
    let projection: Projection | undefined;
    for await (const commit of this.#reader.commits({ fromEvent: toEventIndex(from), toEvent: toEventIndex(events) })) {
      projection ??= startingAt(from, commit.events[0]);
      projection = await projections.foldCommit(this.#commits, projection, { ...commit, seq: projection.end.seq });
    }
    projection ??= projections.empty;
    if (projection.fields.leafEventId === fields.leafEventId) return projection;
    const move = { ...toCommit(events, [], projection.end.seq), patch: headPatch(fields.leafEventId) };
    return projections.foldCommit(this.#commits, projection, move);
  }
}

/**
 * True if calls seem to wait for a person since an event that a socket brought early. Its commit tells whether they do, and the commit
 * that the run began with may not have been read.
 */
function beginsToAsk({ fields: was }: Projection, { fields: is }: Projection): boolean {
  return is.executionStatus === 'waiting_for_confirmation' && was.executionStatus !== is.executionStatus;
}

/** Returns the state while a run works. */
function working(projection: Projection): Projection {
  return { ...projection, fields: { ...projection.fields, executionStatus: 'running' } };
}

/** Returns the state before an event, as far as the event shows it. */
export function startingAt(index: number, first: Event | undefined): Projection {
  const leafEventId = index > 0 ? (first?.parent_id ?? null) : null;
  const fields: StateFields = { ...initialFields, leafEventId };
  return { ...projections.empty, fields, end: { ...projections.empty.end, event: toEventIndex(index) } };
}

/** Returns a branch whose end alone was folded, completed with the server's values for the whole branch. */
export async function completed(
  reader: Pick<EventReader, 'get' | 'locate'>,
  branch: BranchState,
  state: WireState,
): Promise<BranchState> {
  const { iteration = branch.iteration, taskList = branch.taskList, pending } = state;
  const open = new Map<string, OpenCall>();
  for (const id of pending.filter((one) => !branch.open.has(one))) {
    const [event, index] = [await reader.get(id), await reader.locate(id)];
    if (event && isEvent(event, 'ActionEvent') && index !== undefined) open.set(id, { event, index });
  }
  return { ...branch, iteration, taskList, open: new Map([...open, ...branch.open]) };
}

/** Returns the branch with its open calls as the server shows them now. */
export async function openAnew(reader: EventReader, branch: BranchState): Promise<BranchState> {
  const open = new Map<string, OpenCall>();
  for (const [id, call] of branch.open) {
    const shown = await reader.get(id);
    open.set(id, shown && isEvent(shown, 'ActionEvent') ? { ...call, event: shown } : call);
  }
  return { ...branch, open };
}

/** Returns the patch that moves HEAD to an event; `null` means before the first event. */
export function headPatch(leaf: string | null): { set: { leafEventId: string } } | { unset: ['leafEventId'] } {
  return leaf === null ? { unset: ['leafEventId'] } : { set: { leafEventId: leaf } };
}
