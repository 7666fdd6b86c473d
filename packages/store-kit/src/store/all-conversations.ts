import type { ConversationStore } from '@conv/core/store';

import { listPages } from './list-pages.ts';

/** Resolves with the id of every conversation, in an order that an interrupted job finds again. */
export async function allConversationIds(store: ConversationStore): Promise<readonly string[]> {
  const ids = new Set<string>();
  for await (const items of listPages(store, { sortBy: 'createdAt', order: 'ascending' }))
    for (const { id } of items) ids.add(id);
  return [...ids].sort();
}
