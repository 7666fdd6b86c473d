import { systemPlatform, timers, type Platform } from '@conv/core/platform';

/** Number of looks in the time after which a server counts as abandoned. */
const LOOKS = 4;

/** Visits of the program that started a server, which shows its key with each. */
export class Visits {
  readonly #platform: Platform;
  /**
   * Looks since the last visit. They are counted, and no time is measured, because a process that was suspended has not missed the visits
   * of that time.
   */
  #looks = 0;

  constructor(platform: Platform = systemPlatform) {
    this.#platform = platform;
  }

  note(): void {
    this.#looks = 0;
  }

  /** Calls `abandoned` once, when there was no visit for so many milliseconds. */
  watch(milliseconds: number, abandoned: () => void): void {
    const timer = timers.every(
      this.#platform,
      milliseconds / LOOKS,
      () => {
        this.#looks += 1;
        if (this.#looks <= LOOKS) return;
        timer.cancel();
        abandoned();
      },
      { background: true },
    );
  }
}
