import type { Clock } from '../src/index.ts';

interface Scheduled {
  readonly at: number;
  readonly callback: () => void;
}

/**
 * Clock that the test moves forward. It calls foreground timers, such as a pause between two attempts, at once and lets their
 * time pass.
 */
export class TestClock implements Clock {
  readonly #background = new Set<Scheduled>();
  #now = Date.UTC(2026, 0, 1);
  /** Milliseconds that all foreground timers together have waited. */
  waited = 0;

  now(): number {
    return this.#now;
  }

  schedule(milliseconds: number, callback: () => void, where: 'foreground' | 'background'): () => void {
    if (where === 'background') {
      const scheduled = { at: this.#now + milliseconds, callback };
      this.#background.add(scheduled);
      return () => this.#background.delete(scheduled);
    }
    const immediate = setImmediate(() => {
      this.waited += milliseconds;
      this.#now += milliseconds;
      callback();
    });
    return () => clearImmediate(immediate);
  }

  /** True if a background callback is due within so many milliseconds. */
  isWaiting(within: number): boolean {
    return [...this.#background].some(({ at }) => at <= this.#now + within);
  }

  /** Moves the clock forward, and calls the background timers that are due. */
  advance(milliseconds: number): void {
    this.#now += milliseconds;
    for (const scheduled of this.#background) {
      if (scheduled.at > this.#now) continue;
      this.#background.delete(scheduled);
      scheduled.callback();
    }
  }
}
