import { isStoreError, type ConversationStore, type ConversationSummary, type ListPage } from '@conv/core/store';
import type { SearchConversationsQuery } from '@conv/openhands/rest';
import { listPages } from '@conv/store-kit';

import type { Caller } from '../auth/principal.ts';
import type { KnownConversations } from './known-conversations.ts';
import { countListed, listConversations } from './list-conversations.ts';

/** Number of conversations that are listed at once, to find the conversations that a caller may know. */
const BATCH = 100;

/**
 * Resolves with a page of the conversations that a caller may know. A page is full unless it is the last one, and there is a next page
 * only if it will have a conversation: both would tell of others. Reads as many conversations as it takes. Rejects `StoreError` `NOT_FOUND` for a page
 * that is not of this list.
 */
export async function listKnown(
  store: ConversationStore,
  query: SearchConversationsQuery,
  { caller, known }: { readonly caller: Caller; readonly known: KnownConversations },
): Promise<ListPage> {
  if (!caller.limits) return listConversations(store, query);
  const items: ConversationSummary[] = [];
  let page = query.page_id;
  while (items.length < query.limit) {
    // as many as are missing, so that the place behind a full page is that of its last conversation
    const listed = await listConversations(store, { ...query, limit: query.limit - items.length, page_id: page });
    items.push(...(await known.among(caller, listed.items)));
    if (listed.next === undefined) return { items };
    page = listed.next;
  }
  const hasMore = await hasKnown(store, { ...query, page_id: page }, { caller, known });
  return hasMore && page !== null ? { items, next: page } : { items };
}

/** As {@link listKnown}; for a page that is not of this list it resolves with the first page, as OpenHands' server does. */
export async function listKnownOrFirst(...[store, query, about]: Parameters<typeof listKnown>): Promise<ListPage> {
  try {
    return await listKnown(store, query, about);
  } catch (error) {
    if (query.page_id === null || !isStoreError(error, 'NOT_FOUND')) throw error;
    return listKnown(store, { ...query, page_id: null }, about);
  }
}

/** Returns how many conversations a caller may know, in total or with this status. */
export async function countKnown(
  store: ConversationStore,
  status: string | null,
  { caller, known }: { readonly caller: Caller; readonly known: KnownConversations },
): Promise<number> {
  if (!caller.limits) return countListed(store, status);
  const filter = status === null ? {} : { status };
  let count = 0;
  for await (const items of listPages(store, { ...filter, sortBy: 'createdAt' }))
    count += (await known.among(caller, items)).length;
  return count;
}

async function hasKnown(
  store: ConversationStore,
  query: SearchConversationsQuery,
  { caller, known }: { readonly caller: Caller; readonly known: KnownConversations },
): Promise<boolean> {
  let page = query.page_id;
  for (;;) {
    const listed = await listConversations(store, { ...query, limit: BATCH, page_id: page });
    if ((await known.among(caller, listed.items)).length > 0) return true;
    if (listed.next === undefined) return false;
    page = listed.next;
  }
}
