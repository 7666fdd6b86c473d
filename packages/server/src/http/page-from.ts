import type { Page } from '@conv/openhands/rest';

/** Returns the page that begins with this id; the first page for an id that no longer exists. */
export function pageFrom<Item>(
  items: readonly Item[],
  { page_id: id, limit }: { readonly page_id: string | null; readonly limit: number },
  idOf: (item: Item) => string,
): Page<Item> {
  const at = id === null ? 0 : items.findIndex((item) => idOf(item) === id);
  const start = Math.max(0, at);
  const next = items[start + limit];
  return { items: items.slice(start, start + limit), next_page_id: next === undefined ? null : idOf(next) };
}
