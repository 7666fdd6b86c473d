import type { Platform } from './platform.ts';
import { sleep } from './timers.ts';

/** Times to wait between tries, in milliseconds. */
export interface BackoffOptions {
  /** After the first failure. Default 250. */
  readonly first?: number;
  /** At most. Default 30000. */
  readonly most?: number;
}

/**
 * Exponential backoff with jitter: the wait doubles after each failure up to a limit, and a random part of its second half is
 * used, so that clients that lost a server at the same moment do not come back at the same moment.
 */
export class Backoff {
  readonly #platform: Platform;
  readonly #first: number;
  readonly #most: number;
  #failures = 0;

  constructor(platform: Platform, { first = 250, most = 30_000 }: BackoffOptions = {}) {
    this.#platform = platform;
    this.#first = first;
    this.#most = most;
  }

  /** Returns the milliseconds to wait after one more failure. */
  next(): number {
    const longest = Math.min(this.#most, this.#first * 2 ** Math.min(this.#failures++, 30));
    return longest * (0.5 + this.#platform.random() / 2);
  }

  /** Waits after one more failure. Rejects with `signal.reason` as soon as the signal aborts. */
  wait(options?: Parameters<typeof sleep>[2]): Promise<void> {
    return sleep(this.#platform, this.next(), options);
  }

  /** Forgets the failures after a success. */
  reset(): void {
    this.#failures = 0;
  }
}
