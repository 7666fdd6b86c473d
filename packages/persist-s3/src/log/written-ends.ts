import { Subscribers } from '@conv/store-kit';
import type { Place } from '../objects/place.ts';

/** Tells the readers of a store what its own journals have written, so that they need not ask the service. */
export class WrittenEnds {
  readonly #ends = new Map<string, Place>();
  readonly #subscribers = new Subscribers<string>();

  /** Records that a log grew, or has a writer in this store from now on. `end` is durable. */
  announce(log: string, end: Place): void {
    this.#ends.set(log, end);
    this.#subscribers.tell(log);
  }

  /** Records that a log has no writer in this store any more. */
  leave(log: string): void {
    this.#ends.delete(log);
    this.#subscribers.tell(log);
  }

  /** Returns the end of a log that this store writes; `undefined` for others. */
  endOf(log: string): Place | undefined {
    return this.#ends.get(log);
  }

  /** Calls back after each change of a log, until the returned function is called. */
  subscribe(log: string, changed: () => void): () => void {
    return this.#subscribers.add(log, changed);
  }
}
