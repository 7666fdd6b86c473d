import type { SocketClock } from '../../src/http/clock.ts';

interface Timer {
  at: number;
  readonly every: number | undefined;
  readonly work: () => void;
}

/** Time that passes when a test says so. */
export class ManualClock implements SocketClock {
  readonly #timers = new Set<Timer>();
  #now = 0;

  now(): number {
    return this.#now;
  }

  after(milliseconds: number, work: () => void): () => void {
    return this.#add({ at: this.#now + milliseconds, every: undefined, work });
  }

  every(milliseconds: number, work: () => void): () => void {
    return this.#add({ at: this.#now + milliseconds, every: milliseconds, work });
  }

  pass(milliseconds: number): void {
    this.#now += milliseconds;
    const due = [...this.#timers].filter(({ at }) => at <= this.#now);
    for (const timer of due) {
      if (timer.every === undefined) this.#timers.delete(timer);
      else timer.at = this.#now + timer.every;
      timer.work();
    }
  }

  #add(timer: Timer): () => void {
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  }
}
