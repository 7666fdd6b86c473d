import { Subscribers } from '@conv/store-kit';
import type { Place } from './place.ts';

/** Tells the readers of a store about what its own journals have written, so that they need not ask the service. */
export class News {
  readonly #ends = new Map<string, Place>();
  readonly #subscribers = new Subscribers<string>();

  /** A log grew, or has a writer here from now on. `end`: durable. */
  announce(log: string, end: Place): void {
    this.#ends.set(log, end);
    this.#subscribers.tell(log);
  }

  /** A log has no writer here any more. */
  leave(log: string): void {
    this.#ends.delete(log);
    this.#subscribers.tell(log);
  }

  /** Where a log ends that is written here. */
  endOf(log: string): Place | undefined {
    return this.#ends.get(log);
  }

  /** Calls back after each change of a log, until the returned function is called. */
  subscribe(log: string, changed: () => void): () => void {
    return this.#subscribers.add(log, changed);
  }
}
