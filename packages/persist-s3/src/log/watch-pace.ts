import type { Doorbell } from '@conv/store-kit';
import type { Platform } from '@conv/core/platform';

/** Share of the longest pause that follows a new commit; each look that finds nothing doubles the pause. */
const FIRST_PART = 16;

/** Decides when a watch looks again: at once when a writer of this process reports a change, else after a pause. */
export class WatchPace {
  readonly #platform: Platform;
  readonly #longest: () => number;
  /** True if a change was reported since the last wait ended. Independent of `timedOut`, which is about that wait. */
  #isTold = false;
  /** Number of looks in a row that found nothing new. */
  idle = 0;
  /** True if the last wait ended because its time was over, and not because of a reported change. */
  timedOut = false;

  /** `longest` returns the longest pause at this moment, in milliseconds; `Infinity` waits for reports alone. */
  constructor(platform: Platform, longest: () => number) {
    this.#platform = platform;
    this.#longest = longest;
  }

  /** Notes that a look has found something new, or nothing. */
  looked(hasFound: boolean): void {
    this.idle = hasFound ? 0 : this.idle + 1;
  }

  /** Notes that a writer reported a change. The caller rings the bell. */
  tell(): void {
    this.#isTold = true;
  }

  /** Resolves when the bell rings or when it is time to look. */
  async wait(bell: Doorbell): Promise<void> {
    const longest = this.#longest();
    const delay = this.#isTold ? Infinity : Math.min(longest, (longest / FIRST_PART) * 2 ** this.idle);
    let isTime = false;
    const look = (): void => {
      isTime = true;
      bell.ring();
    };
    const timer = Number.isFinite(delay) ? this.#platform.setTimer(delay, look) : undefined;
    await bell.rung();
    timer?.cancel();
    this.timedOut = isTime && !this.#isTold;
    this.#isTold = false;
  }
}
