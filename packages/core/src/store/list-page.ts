import { checkListQuery } from '../contract/store/check-list-query.ts';
import type { ConversationSummary, ListPage, ListQuery } from '../contract/store/conversation-store.ts';
import { comparePositions, parseListCursor, positionOf, toListCursor } from './list-cursor.ts';

/**
 * The page of `all` that a query asks for; for stores that hold their summaries in memory. The cursor names the last item's
 * sort key and id, so that a page neither repeats nor skips what did not change. Throws `TypeError` for a bad limit and
 * `NOT_FOUND` for a cursor that no list has handed out.
 */
export function listPage(all: readonly ConversationSummary[], query: ListQuery): ListPage {
  checkListQuery(query);
  const { limit = 20, sortBy = 'updatedAt', status } = query;
  const direction = query.order === 'ascending' ? 1 : -1;
  const after = query.page === undefined ? undefined : parseListCursor(query.page);
  const parents = query.parentIds && new Set<string | null>(query.parentIds);
  const found = all
    .filter((item) => (status === undefined || item.status === status) && (!parents || parents.has(item.parentId)))
    .map((item) => ({ item, at: positionOf(item, sortBy) }));
  const rest = found
    .filter(({ at }) => !after || direction * comparePositions(at, after) > 0)
    .toSorted((a, b) => direction * comparePositions(a.at, b.at));
  const last = rest.length > limit ? rest[limit - 1] : undefined;
  return {
    items: rest.slice(0, limit).map(({ item }) => item),
    ...(last ? { next: toListCursor(last.at) } : {}),
    ...(query.total === true ? { total: found.length } : {}),
  };
}
