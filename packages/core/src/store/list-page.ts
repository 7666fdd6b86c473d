import { checkListQuery } from '../contract/store/check-options.ts';
import type { ConversationSummary, ListPage, ListQuery } from '../contract/store/conversation-store.ts';
import { StoreError } from '../contract/errors/store-error.ts';

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
    .map((item) => ({ item, at: { key: item[sortBy], id: item.id } }));
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

/** Negative when `a` comes before `b` in ascending order. */
function comparePositions(a: ReturnType<typeof parseListCursor>, b: ReturnType<typeof parseListCursor>): number {
  return compareText(a.key, b.key) || compareText(a.id, b.id);
}

/** Returns a position as the text that callers hand back as `page`. */
export function toListCursor(position: ReturnType<typeof parseListCursor>): string {
  return toBase64Url(JSON.stringify([position.key, position.id]));
}

/** Reads the text of {@link toListCursor}. Throws `NOT_FOUND` for other text. */
export function parseListCursor(page: string): { readonly key: string; readonly id: string } {
  try {
    const value: unknown = JSON.parse(fromBase64Url(page));
    const [key, id]: unknown[] = Array.isArray(value) ? value : [];
    if (typeof key === 'string' && typeof id === 'string') return { key, id };
  } catch {
    // reported below, like every other text that is no cursor
  }
  throw new StoreError('NOT_FOUND', `no list ends with page ${JSON.stringify(page.slice(0, 80))}`);
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Returns the UTF-8 bytes of a text in base64 for URLs, without padding. */
function toBase64Url(text: string): string {
  const bytes = String.fromCharCode(...new TextEncoder().encode(text));
  return btoa(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** Returns the text of {@link toBase64Url}. Throws for text that is no base64. */
function fromBase64Url(base64: string): string {
  const bytes = atob(base64.replaceAll('-', '+').replaceAll('_', '/'));
  return new TextDecoder().decode(Uint8Array.from(bytes, (byte) => byte.charCodeAt(0)));
}
