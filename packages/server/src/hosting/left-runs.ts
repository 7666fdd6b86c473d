import { isConversationError } from '@conv/core';
import type { Platform } from '@conv/core/platform';
import type { ConversationStore } from '@conv/core/store';

/** Milliseconds for which a conversation that failed to load is not tried again for a reader. */
const DENIED_FOR = 5000;

export interface LeftRunsDeps {
  readonly platform: Platform;
  readonly store: Pick<ConversationStore, 'list'>;
  readonly isClosing: () => boolean;
  /** Loads the conversation and continues its run. Rejects as `ConversationHost.acquire`. */
  readonly take: (id: string) => Promise<void>;
  readonly report: (error: unknown, about: { readonly conversationId?: string; readonly doing: string }) => void;
}

/** Continues the runs that were active when the only server of a store ended. */
export class LeftRuns {
  readonly #deps: LeftRunsDeps;
  /** Epoch milliseconds at which loading a conversation may be retried, for conversations that failed to load. */
  readonly #denied = new Map<string, number>();

  constructor(deps: LeftRunsDeps) {
    this.#deps = deps;
  }

  /** Continues the run of each conversation that the store lists as running. */
  async restoreAll(): Promise<void> {
    const { store, isClosing } = this.#deps;
    const { listPages } = await import('@conv/store-kit');
    for await (const items of listPages(store, { status: 'running', sortBy: 'createdAt' })) {
      for (const { id } of items) if (!isClosing()) await this.restore(id);
      if (isClosing()) return;
    }
  }

  /** Loads a conversation that may have been left running; false when it cannot be loaded. */
  async restore(id: string): Promise<boolean> {
    const { platform, isClosing, take, report } = this.#deps;
    if (isClosing() || (this.#denied.get(id) ?? 0) > platform.now()) return false;
    try {
      await take(id);
      this.#denied.delete(id);
      return true;
    } catch (error) {
      if (this.#denied.size > 1000) this.#denied.clear();
      this.#denied.set(id, platform.now() + DENIED_FOR);
      if (!isConversationError(error, 'OWNED')) report(error, { conversationId: id, doing: 'restoring' });
      return false;
    }
  }
}
