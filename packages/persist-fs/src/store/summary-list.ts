import { checks } from '@conv/core';
import { listCursor, type ConversationSummary, type ListPage, type ListQuery } from '@conv/core/store';

/** Summaries up to which each one is put in its place. */
const FEW = 32;

/** New summaries that are sorted in before the next page, so that no page holds up the process for all of them. */
const MANY = 4096;

type SortKey = 'createdAt' | 'updatedAt';
type ListPosition = ReturnType<typeof listCursor.parse>;

/** Summaries in both orders of a list, for stores that hold them in memory: a page costs a page, and new summaries are sorted in before it. */
export class SummaryList {
  readonly #byId = new Map<string, ConversationSummary>();
  /** Summaries that are not in {@link SummaryList.#sorted} yet, by id. */
  readonly #unsorted = new Map<string, ConversationSummary>();
  readonly #byParent = new Map<string, Set<string>>();
  /** Ascending. */
  readonly #sorted: Readonly<Record<SortKey, ConversationSummary[]>> = { createdAt: [], updatedAt: [] };

  get size(): number {
    return this.#byId.size;
  }

  get(id: string): ConversationSummary | undefined {
    return this.#byId.get(id);
  }

  /** Returns all summaries in the order of their last changes, the oldest first. */
  byChange(): readonly ConversationSummary[] {
    this.#sortIn();
    return [...this.#sorted.updatedAt];
  }

  /** Puts a summary in, in place of the summary with the same id. The next page sorts it in. */
  set(item: ConversationSummary): void {
    this.delete(item.id);
    this.#remember(item);
    this.#unsorted.set(item.id, item);
    if (this.#unsorted.size === MANY) this.#sortIn();
  }

  /** Removes the summary with this id, if there is one. */
  delete(id: string): void {
    const item = this.#byId.get(id);
    if (!item) return;
    this.#byId.delete(id);
    if (item.parentId !== null) this.#byParent.get(item.parentId)?.delete(id);
    if (this.#unsorted.delete(id)) return;
    for (const sortBy of ['createdAt', 'updatedAt'] as const)
      this.#sorted[sortBy].splice(this.#search(sortBy, item), 1);
  }

  /** The page that a query asks for. Throws `TypeError` for a bad query and `NOT_FOUND` for a cursor that no list has handed out. */
  page(query: ListQuery): ListPage {
    checks.listQuery(query);
    this.#sortIn();
    const limit = query.limit ?? 20;
    const sortBy = query.sortBy ?? 'updatedAt';
    const items: ConversationSummary[] = [];
    let more = false;
    for (const item of this.#from(query, sortBy)) {
      if (query.status !== undefined && item.status !== query.status) continue;
      more = items.length === limit;
      if (more) break;
      items.push(item);
    }
    const last = items.at(-1);
    return {
      items,
      ...(more && last ? { next: listCursor.toText(positionOf(last, sortBy)) } : {}),
      ...(query.total === true ? { total: this.#count(query) } : {}),
    };
  }

  /** Sorts new summaries in: a few where they belong, and many at once, because each one moves all that are behind it. */
  #sortIn(): void {
    const items = [...this.#unsorted.values()];
    this.#unsorted.clear();
    for (const sortBy of ['createdAt', 'updatedAt'] as const) {
      const all = this.#sorted[sortBy];
      if (items.length > FEW) {
        for (const item of items) all.push(item);
        sorted(all, sortBy);
      } else for (const item of items) all.splice(this.#search(sortBy, item), 0, item);
    }
  }

  #count({ status, parentIds }: ListQuery): number {
    const all = parentIds ? this.#childrenOf(parentIds) : this.#sorted.createdAt;
    return status === undefined ? all.length : all.filter((item) => item.status === status).length;
  }

  #remember(item: ConversationSummary): void {
    this.#byId.set(item.id, item);
    if (item.parentId === null) return;
    const siblings = this.#byParent.get(item.parentId) ?? new Set();
    this.#byParent.set(item.parentId, siblings.add(item.id));
  }

  /** Returns the conversations that a query may hold from its page on, in its order. */
  *#from(query: ListQuery, sortBy: SortKey): Generator<ConversationSummary, void, undefined> {
    const after = query.page === undefined ? undefined : listCursor.parse(query.page);
    const all = query.parentIds ? sorted(this.#childrenOf(query.parentIds), sortBy) : this.#sorted[sortBy];
    if (query.order === 'ascending') {
      for (let at = after ? search(all, sortBy, after, true) : 0; at < all.length; at++)
        yield all[at] as ConversationSummary;
      return;
    }
    const end = after ? search(all, sortBy, after, false) : all.length;
    for (let at = end - 1; at >= 0; at--) yield all[at] as ConversationSummary;
  }

  #childrenOf(parentIds: readonly string[]): ConversationSummary[] {
    const ids = [...new Set(parentIds)].flatMap((parentId) => [...(this.#byParent.get(parentId) ?? [])]);
    return ids.map((id) => this.#byId.get(id) as ConversationSummary);
  }

  #search(sortBy: SortKey, item: ConversationSummary): number {
    return search(this.#sorted[sortBy], sortBy, positionOf(item, sortBy), false);
  }
}

function sorted(items: ConversationSummary[], sortBy: SortKey): ConversationSummary[] {
  return items.sort((a, b) => compare(a, sortBy, b[sortBy], b.id));
}

/** The first item at `position` or after it; `after`: only after it. */
function search(all: readonly ConversationSummary[], sortBy: SortKey, position: ListPosition, behind: boolean): number {
  let [low, high] = [0, all.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const order = compare(all[middle] as ConversationSummary, sortBy, position.key, position.id);
    if (order < 0 || (behind && order === 0)) low = middle + 1;
    else high = middle;
  }
  return low;
}

function positionOf(item: ConversationSummary, sortBy: SortKey): ListPosition {
  return { key: item[sortBy], id: item.id };
}

/** Negative when an item comes before a place in ascending order; the id breaks ties. Makes no objects, because sorting calls it very often. */
function compare(item: ConversationSummary, sortBy: SortKey, key: string, id: string): number {
  const own = item[sortBy];
  if (own !== key) return own < key ? -1 : 1;
  if (item.id === id) return 0;
  return item.id < id ? -1 : 1;
}
