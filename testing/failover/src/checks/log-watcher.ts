import { setTimeout as sleep } from 'node:timers/promises';

import { toCommitSeq, type ConversationStore } from '@conv/core/store';

/** Milliseconds until it is looked again for what cannot be read now. */
const AGAIN = 200;

/** Follows a stored conversation as another program would, and remembers when it saw which commit. */
export class LogWatcher {
  /** Epoch milliseconds, by number of the commit. */
  readonly seen: Map<number, number> = new Map();
  readonly #ended = new AbortController();
  readonly #watching: Promise<void>;

  constructor(store: ConversationStore, conversationId: string) {
    this.#watching = this.#watch(store, conversationId);
  }

  async close(): Promise<void> {
    this.#ended.abort();
    await this.#watching;
  }

  async #watch(store: ConversationStore, conversationId: string): Promise<void> {
    const { signal } = this.#ended;
    while (!signal.aborted) {
      const reader = await store.read(conversationId).catch(() => undefined);
      try {
        if (reader)
          for await (const { seq } of reader.watch(toCommitSeq(this.seen.size), signal)) this.seen.set(seq, Date.now());
      } catch {
        // what is wrong with the log is found when it is compared
      } finally {
        await reader?.close();
      }
      await sleep(AGAIN, undefined, { signal }).catch(() => {});
    }
  }
}
