import type { ExecutionStatus } from '@conv/core';
import { isEvent, type Event } from '@conv/core/events';

import type { RemoteState } from '../sync/remote-state.ts';
import { statusOf } from '../sources/wire-state.ts';

/** The number of successive looks that must find the same status, and nothing new, before it is believed. */
const LOOKS = 3;

/** Statuses that are always final for a run. */
const FAILED: ReadonlySet<unknown> = new Set(['error', 'stuck']);

/**
 * Statuses that a server can report while the run still works: a step ends after a pause, and a hook can send a finished agent back
 * to work.
 */
const EARLY: ReadonlySet<unknown> = new Set(['paused', 'finished']);

/** Kinds of events that only a run appends that has begun: a pause and a rejection come without one. */
const OF_BEGUN: ReadonlySet<string> = new Set(['ActionEvent', 'ObservationEvent', 'ConversationErrorEvent']);

/** Kinds of events that a message brings with it. */
const OF_MESSAGES: ReadonlySet<string> = new Set(['SystemPromptEvent', 'HookExecutionEvent']);

/** True if only a run can produce this event: it is no user message, and no event that comes with a user message. */
export function isOfRun(event: Event): boolean {
  if (isEvent(event, 'ConversationStateUpdateEvent')) return statusOf(event) === 'running';
  return !OF_MESSAGES.has(event.kind) && !(isEvent(event, 'MessageEvent') && event.source === 'user');
}

/** True if this event shows that a run has begun. */
function isOfBegun(event: Event): boolean {
  return (
    statusOf(event) === 'running' ||
    OF_BEGUN.has(event.kind) ||
    (isEvent(event, 'MessageEvent') && event.source === 'agent')
  );
}

/**
 * Decides whether a run has ended on a server that may report the end too early. The log holds each change of the status, so it shows
 * that the run began; a snapshot of the state after that shows the end. Without snapshots a status has to last for a while.
 *
 * A server that has accepted a run prepares its agent first, and shows the status from before the run until then. So a status without a
 * sign of a beginning has to last, too. `finished` need not: the run of a finished conversation ends without a beginning.
 */
export class RunEvidence {
  readonly #state: RemoteState;
  /** Milliseconds. */
  readonly #grace: number;
  readonly #now: () => number;
  #scanned: number;
  #began = false;
  #snapshots: unknown[] = [];
  #same: { readonly status: unknown; readonly looks: number; readonly since: number };

  constructor(state: RemoteState, from: number, grace: number, now: () => number) {
    this.#state = state;
    this.#scanned = from;
    this.#grace = grace;
    this.#now = now;
    this.#same = { status: undefined, looks: 0, since: now() };
  }

  /** Notes that the run has begun. */
  begun(): void {
    this.#began = true;
  }

  /** Notes a status that the server published: alone, when it changed, or as part of its whole state. */
  published(status: unknown, whole: boolean): void {
    if (whole) this.#snapshots.push(status);
    if (whole || status !== 'running') return;
    this.#began = true;
    this.#snapshots = [];
  }

  /**
   * Returns the final status of the run, after reading all known events; `undefined` while it continues or its end is not certain.
   */
  async end(): Promise<ExecutionStatus | undefined> {
    const grew = await this.#scan();
    const status = this.#state.executionStatus;
    if (status === 'running') this.#snapshots = [];
    if (grew || status !== this.#same.status) this.#same = { status, looks: 0, since: this.#now() };
    this.#same = { ...this.#same, looks: this.#same.looks + 1 };
    if (status === 'running') return undefined;
    if (this.#began && (FAILED.has(status) || this.#confirmed(status))) return status;
    return this.#believed(status) ? status : undefined;
  }

  /** Reads the new events; true if there are any. */
  async #scan(): Promise<boolean> {
    const { events } = this.#state;
    const added = await events.slice(this.#scanned);
    if (added.some(isOfBegun)) this.#began = true;
    this.#scanned += added.length;
    return added.length > 0;
  }

  /** A pause is published at once, and once more when the step has ended. */
  #confirmed(status: ExecutionStatus): boolean {
    const needed = status === 'paused' ? 2 : 1;
    return this.#snapshots.filter((one) => one === status).length >= needed;
  }

  #believed(status: ExecutionStatus): boolean {
    if (this.#same.looks < LOOKS) return false;
    const tooEarly = this.#began ? EARLY.has(status) : status !== 'finished';
    return !tooEarly || this.#now() - this.#same.since >= this.#grace;
  }
}
