import type { ConversationStore, ConversationSummary } from '@conv/core/store';

/**
 * Which conversations belong to which. The whole list is read once; after that only what was made since, because a parent never
 * changes.
 */
export class KnownChildren {
  readonly #store: ConversationStore;
  readonly #children = new Map<string, Set<string>>();
  /** The newest that were seen: what is listed behind them is known. */
  #newest: { readonly createdAt: string; readonly ids: ReadonlySet<string> } | undefined;
  #reading: Promise<void> | undefined;

  constructor(store: ConversationStore) {
    this.#store = store;
  }

  /** Ids of the conversations that belong to this one, as of now. */
  async of(id: string): Promise<readonly string[]> {
    // one that reads already may have begun before the last child was made
    await this.#reading;
    this.#reading ??= this.#read().finally(() => (this.#reading = undefined));
    await this.#reading;
    return [...(this.#children.get(id) ?? [])].sort();
  }

  /** It was deleted. */
  forget(id: string): void {
    this.#children.delete(id);
    for (const children of this.#children.values()) children.delete(id);
  }

  async #read(): Promise<void> {
    const seen: ConversationSummary[] = [];
    let page: string | undefined;
    do {
      const query = {
        limit: 100,
        sortBy: 'createdAt',
        order: 'descending',
        ...(page === undefined ? {} : { page }),
      } as const;
      const { items, next } = await this.#store.list(query);
      const fresh = items.filter((item) => !this.#knows(item));
      seen.push(...fresh);
      page = fresh.length < items.length ? undefined : next;
    } while (page !== undefined);
    for (const { id, parentId } of seen) if (parentId !== null) this.#add(parentId, id);
    const createdAt = seen[0]?.createdAt;
    if (createdAt === undefined) return;
    const ids = seen.filter((item) => item.createdAt === createdAt).map(({ id }) => id);
    const before = this.#newest?.createdAt === createdAt ? this.#newest.ids : [];
    this.#newest = { createdAt, ids: new Set([...before, ...ids]) };
  }

  #knows({ id, createdAt }: ConversationSummary): boolean {
    if (!this.#newest) return false;
    return createdAt < this.#newest.createdAt || this.#newest.ids.has(id);
  }

  #add(parent: string, child: string): void {
    const children = this.#children.get(parent) ?? new Set();
    this.#children.set(parent, children.add(child));
  }
}
