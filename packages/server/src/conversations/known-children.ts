import type { Platform } from '@conv/core/platform';
import type { ConversationStore } from '@conv/core/store';
import { listPages } from '@conv/store-kit';

/** Milliseconds for which an answer of the store counts as complete. Children that this server makes are known at once. */
const FRESH = 5000;
/** Maximum number of parents in the cache. */
const KEPT = 1000;

interface Answer {
  readonly children: readonly string[];
  /** Milliseconds of the monotonic clock. */
  readonly staleAt: number;
}

/** Finds the children of conversations. Asks the store only for the children of the requested parents, many parents at once. */
export class KnownChildren {
  readonly #store: ConversationStore;
  readonly #platform: Pick<Platform, 'monotonic'>;
  readonly #answers = new Map<string, Answer>();
  /** Children that were made here, by parent, because a store's answer may be under way while a child is made. */
  readonly #made = new Map<string, Set<string>>();

  constructor(store: ConversationStore, platform: Pick<Platform, 'monotonic'>) {
    this.#store = store;
    this.#platform = platform;
  }

  /** Resolves with the current ids of a conversation's children. */
  async of(id: string): Promise<readonly string[]> {
    await this.load([id]);
    const read = this.#answers.get(id)?.children ?? [];
    return [...new Set([...read, ...(this.#made.get(id) ?? [])])].sort();
  }

  /** Loads the children of several conversations at once, so that the next calls of {@link KnownChildren.of} need no query. */
  async load(ids: readonly string[]): Promise<void> {
    const now = this.#platform.monotonic();
    const parentIds = ids.filter((id) => (this.#answers.get(id)?.staleAt ?? -Infinity) <= now);
    if (parentIds.length === 0) return;
    const found = new Map<string, string[]>(parentIds.map((id) => [id, []]));
    for await (const items of listPages(this.#store, { parentIds, sortBy: 'createdAt' }))
      for (const { id, parentId } of items) if (parentId !== null) found.get(parentId)?.push(id);
    if (this.#answers.size > KEPT) this.#answers.clear();
    for (const [id, children] of found) this.#answers.set(id, { children, staleAt: now + FRESH });
  }

  /** Adds a child that was made here. */
  add(id: string, parentId: string | null): void {
    if (parentId === null) return;
    const children = this.#made.get(parentId) ?? new Set();
    this.#made.set(parentId, children.add(id));
  }

  /** Removes a deleted conversation. */
  forget(id: string): void {
    this.#made.delete(id);
    for (const children of this.#made.values()) children.delete(id);
    for (const [parentId, { children, staleAt }] of this.#answers)
      if (children.includes(id))
        this.#answers.set(parentId, { children: children.filter((one) => one !== id), staleAt });
    this.#answers.delete(id);
  }
}
