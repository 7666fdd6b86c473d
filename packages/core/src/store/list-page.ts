import { checkListQuery } from '../contract/store/check-options.ts';
import type { ConversationSummary, ListPage, ListQuery } from '../contract/store/conversation-store.ts';
import { parse, toText } from './list-cursor.ts';

/**
 * The page of `all` that a query asks for; for stores that hold their summaries in memory. The cursor names the last item's sort
 * key and id, so that a page neither repeats nor skips conversations that did not change. Throws `TypeError` for a bad limit and
 * `NOT_FOUND` for a cursor that no list has handed out.
 */
export function listPage(all: readonly ConversationSummary[], query: ListQuery): ListPage {
  checkListQuery(query);
  const { limit = 20, sortBy = 'updatedAt', status } = query;
  const direction = query.order === 'ascending' ? 1 : -1;
  const after = query.page === undefined ? undefined : parse(query.page);
  const parents = query.parentIds && new Set<string | null>(query.parentIds);
  const found = all
    .filter((item) => (status === undefined || item.status === status) && (!parents || parents.has(item.parentId)))
    .map((item) => ({ item, at: { key: item[sortBy], id: item.id } }));
  const rest = found
    .filter(({ at }) => !after || direction * comparePositions(at, after) > 0)
    .toSorted((a, b) => direction * comparePositions(a.at, b.at));
  const last = rest.length > limit ? rest[limit - 1] : undefined;
  return {
    items: rest.slice(0, limit).map(({ item }) => item),
    ...(last ? { next: toText(last.at) } : {}),
    ...(query.total === true ? { total: found.length } : {}),
  };
}

/** Negative when `a` comes before `b` in ascending order. */
function comparePositions(a: ReturnType<typeof parse>, b: ReturnType<typeof parse>): number {
  return compareText(a.key, b.key) || compareText(a.id, b.id);
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
