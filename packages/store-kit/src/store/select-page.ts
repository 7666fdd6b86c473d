import { checks } from '@conv/core';
import { listCursor, type ConversationSummary, type ListPage, type ListQuery } from '@conv/core/store';

/** The selection of a page of a list from an index. */
export interface PageSelection extends Required<Pick<ListQuery, 'limit' | 'sortBy' | 'order'>> {
  /** The last conversation in front of the page; `undefined` for the first page. */
  readonly after: ReturnType<typeof listCursor.parse> | undefined;
  readonly status: string | undefined;
  readonly parentIds: readonly string[] | undefined;
}

/** The database of {@link selectPage}. */
export interface PageSource {
  /** Selects conversations in order. */
  readonly select: (selection: PageSelection) => Promise<readonly ConversationSummary[]>;
  /** Counts the conversations of all pages. */
  readonly count: (selection: PageSelection) => Promise<number>;
}

/** Returns the page that a query asks for, from a database that finds it by an index. Throws as `ConversationStore.list` does. */
export async function selectPage(query: ListQuery, { select, count }: PageSource): Promise<ListPage> {
  checks.listQuery(query);
  const { limit = 20, page, sortBy = 'updatedAt', order = 'descending', status, parentIds } = query;
  const after = page === undefined ? undefined : listCursor.parse(page);
  const selection = { limit: limit + 1, sortBy, order, after, status, parentIds };
  const found = await select(selection);
  const items = found.slice(0, limit);
  const last = items.at(-1);
  return {
    items,
    ...(found.length > limit && last && { next: listCursor.toText({ key: last[sortBy], id: last.id }) }),
    ...(query.total === true && { total: await count(selection) }),
  };
}
