/** A slot among the concurrent runs, or a place in the queue for one. */
export interface RunSlot {
  /** True if the slot was free at once. */
  readonly free: boolean;
  /** Resolves when the run has its slot. Never rejects; stays pending when the slot was released before. */
  readonly turn: Promise<void>;
  /** Frees the slot, or leaves the queue. Idempotent. */
  release(): void;
}

/** Limits the number of concurrent runs; further runs wait in order. */
export class RunSlots {
  readonly #limit: number;
  readonly #waiting = new Set<() => void>();
  #taken = 0;

  constructor(limit: number) {
    if (!(limit >= 1)) throw new TypeError(`maxConcurrentRuns: expected a number from 1, found ${limit}`);
    this.#limit = limit;
  }

  /** The number of runs that hold a slot. */
  get taken(): number {
    return this.#taken;
  }

  get free(): number {
    return this.#limit - this.#taken;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** Asks for a slot. */
  take(): RunSlot {
    const free = this.#taken < this.#limit;
    const { promise: turn, resolve } = Promise.withResolvers<void>();
    let released = false;
    const enter = (): void => {
      this.#taken++;
      resolve();
    };
    const release = (): void => {
      if (released) return;
      released = true;
      if (this.#waiting.delete(enter)) return;
      this.#taken--;
      this.#admit();
    };
    if (free) enter();
    else this.#waiting.add(enter);
    return { free, turn, release };
  }

  #admit(): void {
    const [next] = this.#waiting;
    if (!next || this.#taken >= this.#limit) return;
    this.#waiting.delete(next);
    next();
  }
}
