import type { ConversationStore } from '@conv/core/store';

/** Resolves with the id of every conversation, in an order that an interrupted job finds again. */
export async function allConversationIds(store: ConversationStore): Promise<readonly string[]> {
  const ids = new Set<string>();
  for (let page: string | undefined; ;) {
    const listed = await store.list({ sortBy: 'createdAt', order: 'ascending', limit: 100, ...(page && { page }) });
    for (const { id } of listed.items) ids.add(id);
    page = listed.next;
    if (page === undefined) return [...ids].sort();
  }
}
