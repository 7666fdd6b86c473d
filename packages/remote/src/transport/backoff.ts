/** Times to wait between tries, in milliseconds. */
export interface BackoffOptions {
  /** After the first failure. Default 250. */
  readonly first?: number;
  /** At most. Default 30000. */
  readonly most?: number;
}

/**
 * Waits longer after each failure: twice as long each time, up to a limit, and somewhere between half of that and the whole, so that
 * clients which lost a server at the same moment do not come back at the same moment.
 */
export class Backoff {
  readonly #first: number;
  readonly #most: number;
  readonly #random: () => number;
  #failures = 0;

  constructor({ first = 250, most = 30_000 }: BackoffOptions = {}, random: () => number) {
    this.#first = first;
    this.#most = most;
    this.#random = random;
  }

  /** Milliseconds to wait now. */
  next(): number {
    const longest = Math.min(this.#most, this.#first * 2 ** Math.min(this.#failures++, 30));
    return longest * (0.5 + this.#random() / 2);
  }

  /** It worked: the next failure is the first one. */
  reset(): void {
    this.#failures = 0;
  }
}
