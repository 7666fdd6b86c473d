import { MemoryStore, type ConversationStore, type Journal } from '@conv/core/store';

/** Members of a journal that stand before its own. */
export type JournalChanges = { readonly [Member in keyof Journal]?: () => Journal[Member] };

/** A store in memory whose journals are not quite what they were. */
export abstract class WrappingStore implements ConversationStore {
  readonly features: ConversationStore['features'];
  readonly #memory = new MemoryStore();

  constructor(features: Partial<ConversationStore['features']> = {}) {
    this.features = { ...this.#memory.features, ...features };
  }

  /** Returns the changed members of this journal. Called once for each journal; a member's function runs at each access. */
  protected abstract changes(journal: Journal): JournalChanges;

  async open(...[id, options]: Parameters<ConversationStore['open']>): Promise<Journal> {
    const journal = await this.#memory.open(id, options);
    const changes: Partial<Record<PropertyKey, () => unknown>> = this.changes(journal);
    return new Proxy(journal, {
      get: (target, key) => {
        const changed = changes[key];
        if (changed) return changed();
        const value: unknown = Reflect.get(target, key, target);
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    });
  }

  read(id: string): ReturnType<ConversationStore['read']> {
    return this.#memory.read(id);
  }

  list(...[query]: Parameters<ConversationStore['list']>): ReturnType<ConversationStore['list']> {
    return this.#memory.list(query);
  }

  fork(...[id, newId, options]: Parameters<ConversationStore['fork']>): Promise<void> {
    return this.#memory.fork(id, newId, options);
  }

  delete(id: string): Promise<void> {
    return this.#memory.delete(id);
  }

  check(...[id, options]: Parameters<ConversationStore['check']>): ReturnType<ConversationStore['check']> {
    return this.#memory.check(id, options);
  }

  close(): Promise<void> {
    return this.#memory.close();
  }
}
