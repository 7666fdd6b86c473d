import type { StateFields } from '@conv/core';

import type { SocketClock } from '../http/clock.ts';

/** Milliseconds. After a longer run the client that started it is already waiting for its end. */
const SHORT = 2000;

/** Milliseconds after which the end of a short run is shown again. */
const AGAIN = 1000;

/**
 * Shows the end of a short run again. Clients of the protocol start a run on one connection and learn its end from another, which
 * they watch only after the first request was answered. Otherwise they would learn the end of a run that is already over half a
 * minute later.
 */
export class ShortRuns {
  readonly #clock: SocketClock;
  readonly #showAgain: () => void;
  #began: number | undefined;
  #stop: (() => void) | undefined;

  constructor(clock: SocketClock, showAgain: () => void) {
    this.#clock = clock;
    this.#showAgain = showAgain;
  }

  /** Notes the beginning of a run. */
  change({ executionStatus }: StateFields, before: StateFields): void {
    if (executionStatus === 'running' && before.executionStatus !== 'running') this.#began = this.#clock.now();
  }

  /** Called when the whole state is shown, as it is when a run has ended. */
  shown({ executionStatus }: StateFields): void {
    if (executionStatus === 'running') return;
    // a run whose begin was not seen counts as the shortest
    const took = this.#began === undefined ? 0 : this.#clock.now() - this.#began;
    this.#began = undefined;
    this.#stop?.();
    this.#stop = took < SHORT ? this.#clock.after(AGAIN, this.#showAgain) : undefined;
  }

  close(): void {
    this.#stop?.();
  }
}
