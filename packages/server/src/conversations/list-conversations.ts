import { StoreError, type ConversationStore, type ListPage } from '@conv/core/store';
import type { SearchConversationsQuery } from '@conv/openhands/rest';

/** Resolves with a page of a store's conversations. Rejects `StoreError` `NOT_FOUND` for a page that is not of this list. */
export function listConversations(store: ConversationStore, query: SearchConversationsQuery): Promise<ListPage> {
  const [sortBy, order] = ORDERS[query.sort_order];
  return store.list({
    limit: query.limit,
    sortBy,
    order,
    ...(query.status === null ? {} : { status: query.status }),
    ...(query.page_id === null ? {} : { page: query.page_id }),
  });
}

/** Returns how many conversations a store holds, in total or with this status. */
export async function countListed(store: ConversationStore, status: string | null): Promise<number> {
  const { total } = await store.list({ limit: 1, total: true, ...(status === null ? {} : { status }) });
  if (total === undefined)
    throw new StoreError(
      'UNSUPPORTED',
      'the store does not say how many conversations it holds; count the pages of the list',
    );
  return total;
}

const ORDERS = {
  CREATED_AT: ['createdAt', 'ascending'],
  CREATED_AT_DESC: ['createdAt', 'descending'],
  UPDATED_AT: ['updatedAt', 'ascending'],
  UPDATED_AT_DESC: ['updatedAt', 'descending'],
} as const satisfies Record<SearchConversationsQuery['sort_order'], readonly [string, string]>;
