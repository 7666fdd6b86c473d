import { checkListQuery } from './check-list-query.ts';
import type { ConversationSummary, ListPage, ListQuery } from './conversation-store.ts';
import { StoreError } from './store-error.ts';

/**
 * The page of `all` that a query asks for; for stores that hold their summaries in memory. The cursor names the last item's
 * sort key and id, so that a page neither repeats nor skips what did not change. Throws `TypeError` for a bad limit and
 * `NOT_FOUND` for a cursor that no list has handed out.
 */
export function listPage(all: readonly ConversationSummary[], query: ListQuery): ListPage {
  checkListQuery(query);
  const limit = query.limit ?? 20;
  const sortBy = query.sortBy ?? 'updatedAt';
  const direction = query.order === 'ascending' ? 1 : -1;
  const compare = (a: Position, b: Position): number =>
    direction * (compareText(a.key, b.key) || compareText(a.id, b.id));
  const position = (item: ConversationSummary): Position => ({ key: item[sortBy], id: item.id });
  const after = query.page === undefined ? undefined : parseCursor(query.page);
  const sorted = all
    .filter((item) => query.status === undefined || item.status === query.status)
    .sort((a, b) => compare(position(a), position(b)))
    .filter((item) => !after || compare(position(item), after) > 0);
  const items = sorted.slice(0, limit);
  const last = items.at(-1);
  return sorted.length > limit && last ? { items, next: toCursor(position(last)) } : { items };
}

interface Position {
  readonly key: string;
  readonly id: string;
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function toCursor(position: Position): string {
  return Buffer.from(JSON.stringify([position.key, position.id])).toString('base64url');
}

function parseCursor(page: string): Position {
  try {
    const [key, id]: unknown[] = JSON.parse(Buffer.from(page, 'base64url').toString('utf8'));
    if (typeof key === 'string' && typeof id === 'string') return { key, id };
  } catch {
    // reported below, like every other text that is no cursor
  }
  throw new StoreError('NOT_FOUND', `no list ends with page ${JSON.stringify(page.slice(0, 80))}`);
}
