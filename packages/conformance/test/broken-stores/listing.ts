import {
  type ConversationStore,
  type ConversationSummary,
  isStoreError,
  type ListPage,
  type ListQuery,
} from '@conv/core/store';
import { broken, without, type BrokenStore } from './broken-store.ts';

/** A store whose list is what `change` makes of it. */
function brokenList(
  caughtBy: string,
  change: (list: (query?: ListQuery) => Promise<ListPage>, query: ListQuery) => Promise<ListPage>,
): BrokenStore {
  return broken(caughtBy, () => ({
    store: (store: ConversationStore) => ({ list: (query = {}) => change((asked) => store.list(asked), query) }),
  }));
}

function changeItems(page: ListPage, change: (item: ConversationSummary, at: number) => ConversationSummary): ListPage {
  return { ...page, items: page.items.map(change) };
}

export const brokenListing: readonly BrokenStore[] = [
  brokenList('pages of a list repeat nothing and leave nothing out', async (list, query) => {
    const { page, ...first } = query;
    const asked = await list(query);
    return query.limit === 1 && page !== undefined ? list(first) : asked;
  }),
  brokenList('a list can be sorted by the time of creation, both ways', (list, query) =>
    list(query.sortBy === 'createdAt' ? { ...query, order: 'ascending' } : query),
  ),
  brokenList('a list is sorted by the time of the last change, newest first, by default', async (list, query) =>
    changeItems(await list(query), (item, at) =>
      query.sortBy === undefined ? { ...item, updatedAt: new Date(1_789_000_000_000 + at).toISOString() } : item,
    ),
  ),
  brokenList('conversations of the same time are listed by id, so that pages stay consistent', async (list, query) => {
    const page = await list(query);
    const same = query.sortBy === 'createdAt' && new Set(page.items.map((item) => item.createdAt)).size === 1;
    return same ? { ...page, items: page.items.toReversed() } : page;
  }),
  brokenList('a page stays where it is when conversations before it come and go', async (list, query) => {
    const offset = /^offset:(\d+)$/.exec(query.page ?? '')?.[1];
    const { page, ...first } = query;
    if (page !== undefined && offset === undefined) return list(query);
    const { items: asked, total } = await list(first);
    const start = Number(offset ?? 0);
    const limit = query.limit ?? 20;
    const { items } = asked.length < limit && start === 0 ? { items: asked } : await list({ ...first, limit: 100 });
    const next = start + limit;
    return {
      items: items.slice(start, next),
      ...(items.length > next ? { next: `offset:${next}` } : {}),
      ...(total === undefined ? {} : { total }),
    };
  }),
  brokenList('a list can be filtered by status', (list, query) =>
    list(query.total === true ? query : without(query, 'status')),
  ),
  brokenList('a list can be filtered by parents', (list, query) =>
    list(query.total === true ? query : without(query, 'parentIds')),
  ),
  brokenList('a list counts the conversations of all pages if the query asks for it', async (list, query) => {
    const page = await list(query);
    return query.total === true ? { ...page, total: page.items.length } : page;
  }),
  brokenList('a page that no list has handed out rejects NOT_FOUND', (list, query) =>
    list(query).catch((error: unknown) => {
      if (isStoreError(error, 'NOT_FOUND')) return list();
      throw error;
    }),
  ),
  brokenList('a page of a list holds 20 conversations by default', (list, query) => list({ limit: 50, ...query })),
  brokenList('a limit that is not a number from 1 to 100 is refused', (list, { limit = 20, ...query }) =>
    list({ ...query, limit: Math.min(100, Math.max(1, Math.trunc(limit) || 1)) }),
  ),
  brokenList('a summary matches the state, from the first commit to the last', async (list, query) =>
    changeItems(await list(query), (item) => ({ ...item, parentId: null })),
  ),
  broken('a conversation is listed while it is written', () => ({
    store: (store, { backend }) => ({
      list: async (query) => {
        const page = await store.list(query);
        return { ...page, items: page.items.filter(({ id }) => !backend.owners.has(id)) };
      },
    }),
  })),
];
