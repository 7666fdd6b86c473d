import type { ConversationStore, ConversationSummary } from '@conv/core/store';

/** Milliseconds for which what was read is taken for all there is; those that this server makes are known at once. */
const FRESH = 5000;

/**
 * Milliseconds between the moment at which a conversation says that it was made and the one at which it is listed, at most: clocks of
 * servers differ, and one that is made comes behind others that are faster.
 */
const LATE = 60_000;

/**
 * Which conversations belong to which. The whole list is read once; after that, now and then, only what was made since, because a
 * parent never changes.
 */
export class KnownChildren {
  readonly #store: ConversationStore;
  readonly #children = new Map<string, Set<string>>();
  /** Epoch milliseconds: what was made before is known. */
  #knownBefore = -Infinity;
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
      seen.push(...items);
      page = items.some(({ createdAt }) => Date.parse(createdAt) < this.#knownBefore) ? undefined : next;
    } while (page !== undefined);
    for (const { id, parentId } of seen) this.add(id, parentId);
    this.#staleAt = performance.now() + FRESH;
    const newest = seen[0] && Date.parse(seen[0].createdAt);
    if (newest !== undefined) this.#knownBefore = Math.max(this.#knownBefore, newest - LATE);
  }
}
