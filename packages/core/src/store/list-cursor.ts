import type { ConversationSummary } from '../contract/store/conversation-store.ts';
import { StoreError } from '../contract/errors/store-error.ts';
import { fromBase64Url, toBase64Url } from '../platform/base64-url.ts';

/** A place in a sorted list: the sort key and the id of an item. The id breaks ties. */
export interface ListPosition {
  readonly key: string;
  readonly id: string;
}

/** Returns the position of a conversation in a list that is sorted by `sortBy`. */
export function positionOf(item: ConversationSummary, sortBy: 'createdAt' | 'updatedAt'): ListPosition {
  return { key: item[sortBy], id: item.id };
}

/** Negative when `a` comes before `b` in ascending order. */
export function comparePositions(a: ListPosition, b: ListPosition): number {
  return compareText(a.key, b.key) || compareText(a.id, b.id);
}

/** Returns a position as the text that callers hand back as `page`. */
export function toListCursor(position: ListPosition): string {
  return toBase64Url(JSON.stringify([position.key, position.id]));
}

/** Reads the text of {@link toListCursor}. Throws `NOT_FOUND` for other text. */
export function parseListCursor(page: string): ListPosition {
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
