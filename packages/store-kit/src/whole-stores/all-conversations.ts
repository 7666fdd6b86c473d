import type { ConversationStore } from '@conv/core/store';

/** The id of every conversation of a list, in an order that does not change while something long is broken off and gone on with. */
export async function allConversationIds(store: ConversationStore): Promise<readonly string[]> {
  const ids = new Set<string>();
  for (let page: string | undefined; ;) {
    const listed = await store.list({ sortBy: 'createdAt', order: 'ascending', limit: 100, ...(page && { page }) });
    for (const { id } of listed.items) ids.add(id);
    page = listed.next;
    if (page === undefined) return [...ids].sort();
  }
}
