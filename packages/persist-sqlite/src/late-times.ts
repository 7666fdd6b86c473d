import type { Platform, Timer } from '@conv/core/platform';
import type { DatabaseThread } from './database-thread.ts';

/** The times of change of a store's conversations that its appends have not written. They are written together, by the thread. */
export class LateTimes {
  readonly #thread: DatabaseThread;
  readonly #platform: Platform;
  readonly #interval: number;
  #times = new Map<number, string>();
  #timer: Timer | undefined;

  /** `interval`: the milliseconds by which lists may be behind. */
  constructor(thread: DatabaseThread, platform: Platform, interval: number) {
    this.#thread = thread;
    this.#platform = platform;
    this.#interval = interval;
  }

  /** Notes the newest time of change of a conversation. */
  note(key: number, time: string): void {
    this.#times.set(key, time);
    this.#timer ??= this.#platform.setTimer(this.#interval, () => this.#write(), { background: true });
  }

  /** Takes the time of a conversation back, because it is written in another way. */
  take(key: number): string | null {
    const time = this.#times.get(key) ?? null;
    this.#times.delete(key);
    return time;
  }

  close(): void {
    this.#timer?.cancel();
  }

  #write(): void {
    this.#timer = undefined;
    const times = [...this.#times];
    this.#times = new Map();
    // If that fails, lists show the time before, until the next one.
    if (times.length > 0) this.#thread.call('touch', times).catch(() => {});
  }
}
