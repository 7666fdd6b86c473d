import type { ConversationStore } from '@conv/core/store';

import { systemClock, type SocketClock } from './clock.ts';

/** An id that no conversation has. */
const NOBODY = '00000000-0000-4000-8000-000000000000';

/** Milliseconds for which an answer counts, and that the store may take for one. */
const KEPT = 2000;
const TIMEOUT = 5000;

interface Answer {
  /** Milliseconds of the clock. */
  readonly until: number;
  readonly isReady: boolean;
}

/** Checks if the store answers, by reading a conversation that does not exist, at most every two seconds. */
export class Readiness {
  readonly #store: Pick<ConversationStore, 'read'>;
  readonly #clock: SocketClock;
  #known: Answer | undefined;
  #asking: Promise<Answer> | undefined;

  constructor(store: Pick<ConversationStore, 'read'>, clock: SocketClock = systemClock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Resolves with true if the store answers. Never rejects. */
  async isReady(): Promise<boolean> {
    if (this.#known && this.#clock.now() < this.#known.until) return this.#known.isReady;
    this.#asking ??= this.#ask();
    return (await this.#asking).isReady;
  }

  async #ask(): Promise<Answer> {
    const late = Promise.withResolvers<boolean>();
    const stop = this.#clock.after(TIMEOUT, () => late.resolve(false));
    const isReady = await Promise.race([this.#answers(), late.promise]);
    stop();
    this.#known = { isReady, until: this.#clock.now() + KEPT };
    this.#asking = undefined;
    return this.#known;
  }

  async #answers(): Promise<boolean> {
    try {
      const reader = await this.#store.read(NOBODY);
      await reader?.close();
      return true;
    } catch {
      return false;
    }
  }
}
