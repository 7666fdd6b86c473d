import type { ConversationStore, ConversationSummary } from '@conv/core/store';

/** Milliseconds for which what was read is taken for all there is; those that this server makes are known at once. */
const FRESH = 5000;

/**
 * Which conversations belong to which. The whole list is read once; after that, now and then, only what was made since, because a
 * parent never changes.
 */
export class KnownChildren {
  readonly #store: ConversationStore;
  readonly #children = new Map<string, Set<string>>();
  /** The newest that were seen: what is listed behind them is known. */
  #newest: { readonly createdAt: string; readonly ids: ReadonlySet<string> } | undefined;
  #reading: Promise<void> | undefined;
  #staleAt = 0;

  constructor(store: ConversationStore) {
    this.#store = store;
  }

  /** Ids of the conversations that belong to this one, as of now. */
  async of(id: string): Promise<readonly string[]> {
    if (performance.now() >= this.#staleAt) this.#reading ??= this.#read().finally(() => (this.#reading = undefined));
    await this.#reading;
    return [...(this.#children.get(id) ?? [])].sort();
  }

  /** It was made here. */
  add(id: string, parentId: string | null): void {
    if (parentId === null) return;
    const children = this.#children.get(parentId) ?? new Set();
    this.#children.set(parentId, children.add(id));
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
    for (const { id, parentId } of seen) this.add(id, parentId);
    this.#staleAt = performance.now() + FRESH;
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
}
