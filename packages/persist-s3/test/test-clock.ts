import type { Clock } from '../src/index.ts';

interface Scheduled {
  readonly at: number;
  readonly callback: () => void;
}

/**
 * A clock that the test puts forward. What waits in the foreground, as a pause between two attempts does, is called at once, and
 * the time passes with it.
 */
export class TestClock implements Clock {
  readonly #background = new Set<Scheduled>();
  #now = Date.UTC(2026, 0, 1);
  /** How long it was waited in the foreground, together. */
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

  /** Whether a callback is due in the background within so many milliseconds. */
  isWaiting(within: number): boolean {
    return [...this.#background].some(({ at }) => at <= this.#now + within);
  }

  /** Puts it forward, and calls what is due in the background. */
  advance(milliseconds: number): void {
    this.#now += milliseconds;
    for (const scheduled of this.#background) {
      if (scheduled.at > this.#now) continue;
      this.#background.delete(scheduled);
      scheduled.callback();
    }
  }
}
