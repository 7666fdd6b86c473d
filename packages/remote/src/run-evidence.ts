import type { ExecutionStatus } from '@conv/core';

import type { RemoteState } from './state/remote-state.ts';
import { statusOf } from './state/wire-state.ts';

/** Looks at the status, without another one in between, after which it is believed. */
const LOOKS = 3;

/** Statuses that nothing takes back. */
const FAILED: ReadonlySet<unknown> = new Set(['error', 'stuck']);

/**
 * Whether a run has ended on a server that may say so too early: a snapshot can be older than the start, and a hook can send a finished
 * agent back to work. The log knows: it holds each change of the status.
 */
export class RunEvidence {
  readonly #state: RemoteState;
  readonly #finishedGrace: number;
  readonly #now: () => number;
  #scanned: number;
  #began = false;
  #snapshot: unknown;
  #same: { status: unknown; looks: number; since: number } = { status: undefined, looks: 0, since: 0 };

  constructor(state: RemoteState, from: number, finishedGrace: number, now: () => number = Date.now) {
    this.#state = state;
    this.#scanned = from;
    this.#finishedGrace = finishedGrace;
    this.#now = now;
  }

  /** The server published its state with this status. */
  published(status: unknown): void {
    this.#snapshot = status;
  }

  /** The status with which the run has ended, after everything that is known was taken in; `undefined`: it goes on, or it is too early to say. */
  async end(): Promise<ExecutionStatus | undefined> {
    await this.#scan();
    const status = this.#state.executionStatus;
    if (status === 'running') {
      this.#snapshot = undefined;
      this.#same = { status, looks: 0, since: this.#now() };
      return undefined;
    }
    // a snapshot from before the start is one thing, the log's beginning of the run another; both must be there
    if (this.#began && (FAILED.has(status) || this.#snapshot === status)) return status;
    return this.#believed(status) ? status : undefined;
  }

  async #scan(): Promise<void> {
    const { events } = this.#state;
    for (const event of await events.slice(this.#scanned)) if (statusOf(event) === 'running') this.#began = true;
    this.#scanned = events.length;
  }

  #believed(status: ExecutionStatus): boolean {
    if (this.#same.status === status) this.#same.looks++;
    else this.#same = { status, looks: 1, since: this.#now() };
    if (this.#same.looks < LOOKS) return false;
    return status !== 'finished' || !this.#began || this.#now() - this.#same.since >= this.#finishedGrace;
  }
}
