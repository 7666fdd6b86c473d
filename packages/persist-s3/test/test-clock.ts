import { systemPlatform, type Platform, type Timer } from '@conv/core/platform';

interface Scheduled {
  readonly at: number;
  readonly work: () => void;
}

/**
 * Platform whose time the test moves forward. It calls foreground timers, such as a pause between two attempts, at once and lets
 * their time pass.
 */
export class TestClock implements Platform {
  readonly #background = new Set<Scheduled>();
  #now = Date.UTC(2026, 0, 1);
  /** Milliseconds that all foreground timers together have waited. */
  waited = 0;

  readonly now = (): number => this.#now;
  readonly monotonic = (): number => this.#now;
  readonly nextTurn: Platform['nextTurn'] = systemPlatform.nextTurn;
  readonly random: Platform['random'] = systemPlatform.random;
  readonly id: Platform['id'] = systemPlatform.id;

  readonly setTimer = (
    milliseconds: number,
    work: () => void,
    { background }: { background?: boolean | undefined } = {},
  ): Timer => {
    if (background) {
      const scheduled = { at: this.#now + milliseconds, work };
      this.#background.add(scheduled);
      return timer(() => void this.#background.delete(scheduled));
    }
    const immediate = setImmediate(() => {
      this.waited += milliseconds;
      this.#now += milliseconds;
      work();
    });
    return timer(() => clearImmediate(immediate));
  };

  /** True if a background timer is due within the given milliseconds. */
  isWaiting(within: number): boolean {
    return [...this.#background].some(({ at }) => at <= this.#now + within);
  }

  /** Moves the clock forward, and calls the background timers that are due. */
  advance(milliseconds: number): void {
    this.#now += milliseconds;
    for (const scheduled of this.#background) {
      if (scheduled.at > this.#now) continue;
      this.#background.delete(scheduled);
      scheduled.work();
    }
  }
}

function timer(cancel: () => void): Timer {
  return { cancel, [Symbol.dispose]: cancel };
}
