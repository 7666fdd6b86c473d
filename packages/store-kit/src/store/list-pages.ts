import type { ConversationStore, ConversationSummary, ListQuery } from '@conv/core/store';

/** Yields the conversations of a list, page by page, up to 100 at once. Lists the next page when it is asked for. Throws as the store does. */
export async function* listPages(
  store: Pick<ConversationStore, 'list'>,
  query: Omit<ListQuery, 'limit' | 'page'> = {},
): AsyncGenerator<readonly ConversationSummary[], void, undefined> {
  let page: string | undefined;
  do {
    const { items, next } = await store.list({ ...query, limit: 100, ...(page === undefined ? {} : { page }) });
    yield items;
    page = next;
  } while (page !== undefined);
}
