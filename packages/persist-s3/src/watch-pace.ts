import type { Doorbell } from '@conv/store-kit';
import type { Clock } from './clock.ts';

/** After a new commit the next look comes soon; each look that finds nothing doubles the time to the next one. */
const FIRST_PART = 16;

/** Decides when a watch looks again: at once when a writer of this process tells of a change, and else after a time. */
export class WatchPace {
  readonly #clock: Clock;
  readonly #longest: () => number;
  #isTold = false;
  /** The number of looks in a row that found nothing new. */
  idle = 0;
  /** True if the last wait ended because its time was over, and not because of news. */
  timedOut = false;

  /** `longest`: the longest time between two looks at this moment, in milliseconds; `Infinity`: wait for news. */
  constructor(clock: Clock, longest: () => number) {
    this.#clock = clock;
    this.#longest = longest;
  }

  /** A look has found something new, or nothing. */
  looked(hasFound: boolean): void {
    this.idle = hasFound ? 0 : this.idle + 1;
  }

  /** There is news. The caller rings the bell. */
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
    const cancel = Number.isFinite(delay) ? this.#clock.schedule(delay, look, 'foreground') : undefined;
    await bell.rung();
    cancel?.();
    this.timedOut = isTime && !this.#isTold;
    this.#isTold = false;
  }
}
