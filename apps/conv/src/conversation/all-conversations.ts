import type { ConversationStore, ConversationSummary } from '@conv/core/store';
import { listPages } from '@conv/store-kit';

/** Every conversation of a store, the last changed first. */
export async function allConversations(store: ConversationStore): Promise<readonly ConversationSummary[]> {
  return (await Array.fromAsync(listPages(store))).flat();
}
