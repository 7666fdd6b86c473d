import type { ExecutionStatus, StateFields } from '@conv/core';
import type { Platform, Timer } from '@conv/core/platform';

/** Maximum milliseconds of a short run. After a longer run, its client is already waiting for the end. */
const SHORT = 2000;

/** Milliseconds after which the end of a short run is shown again. */
const AGAIN = 1000;

/** Statuses at the end of a run that clients never miss. */
const SHOWN_AT_ONCE: ReadonlySet<ExecutionStatus> = new Set(['error', 'stuck']);

/**
 * Shows the end of a short run again. Clients of the protocol start a run on one connection and learn its end from another, which
 * they watch only after the first request was answered. Otherwise they would learn the end of a run that is already over half a
 * minute later. An error and a loop are not shown again, because clients take these from the frame of the status, at any time.
 *
 * Such a client takes any state that is not `running` for the end of the run that it last started. So nothing is shown again
 * after the status has changed, as it does for the next message.
 */
export class ShortRuns {
  readonly #platform: Platform;
  readonly #showAgain: () => void;
  #began: number | undefined;
  #timer: Timer | undefined;

  constructor(platform: Platform, showAgain: () => void) {
    this.#platform = platform;
    this.#showAgain = showAgain;
  }

  /** Notes the beginning of a run. A changed status ends the repetition of what was shown before. */
  change({ executionStatus }: StateFields, before: StateFields): void {
    if (executionStatus === before.executionStatus) return;
    this.#timer?.cancel();
    if (executionStatus === 'running') this.#began = this.#platform.monotonic();
  }

  /** Called when the whole state is shown, as it is when a run has ended. */
  shown({ executionStatus }: StateFields): void {
    if (executionStatus === 'running') return;
    // a run whose beginning was not seen counts as short
    const took = this.#began === undefined ? 0 : this.#platform.monotonic() - this.#began;
    this.#began = undefined;
    this.#timer?.cancel();
    const again = (): Timer => this.#platform.setTimer(AGAIN, this.#showAgain, { background: true });
    this.#timer = took < SHORT && !SHOWN_AT_ONCE.has(executionStatus) ? again() : undefined;
  }

  close(): void {
    this.#timer?.cancel();
  }
}
