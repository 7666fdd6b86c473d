import type { Platform } from '@conv/core/platform';
import type { ConversationStore } from '@conv/core/store';

/** An id that no conversation has. */
const NOBODY = '00000000-0000-4000-8000-000000000000';

/** Milliseconds for which an answer counts, and that the store may take for one. */
const KEPT = 2000;
const TIMEOUT = 5000;

interface Answer {
  /** Milliseconds of the monotonic clock. */
  readonly until: number;
  readonly isReady: boolean;
}

/** Checks if the store answers, by reading a conversation that does not exist, at most every two seconds. */
export class Readiness {
  readonly #store: Pick<ConversationStore, 'read'>;
  readonly #platform: Platform;
  #known: Answer | undefined;
  #asking: Promise<Answer> | undefined;

  constructor(store: Pick<ConversationStore, 'read'>, platform: Platform) {
    this.#store = store;
    this.#platform = platform;
  }

  /** Resolves with true if the store answers. Never rejects. */
  async isReady(): Promise<boolean> {
    if (this.#known && this.#platform.monotonic() < this.#known.until) return this.#known.isReady;
    this.#asking ??= this.#ask();
    return (await this.#asking).isReady;
  }

  async #ask(): Promise<Answer> {
    const late = Promise.withResolvers<boolean>();
    using _timer = this.#platform.setTimer(TIMEOUT, () => late.resolve(false), { background: true });
    const isReady = await Promise.race([this.#answers(), late.promise]);
    this.#known = { isReady, until: this.#platform.monotonic() + KEPT };
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
