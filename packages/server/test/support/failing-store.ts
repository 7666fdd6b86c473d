import { MemoryStore, StoreError, type ConversationStore, type Journal } from '@conv/core/store';

/** A store in memory, for several servers by what it says of itself, to which nothing can be appended while it fails. */
export class FailingStore implements ConversationStore {
  readonly features: ConversationStore['features'];
  failing = false;
  /** How many commits were refused. */
  refused = 0;
  readonly #memory = new MemoryStore();

  constructor() {
    this.features = { ...this.#memory.features, shared: true, exclusion: 'kernel' };
  }

  async open(...[id, options]: Parameters<ConversationStore['open']>): Promise<Journal> {
    const inner = await this.#memory.open(id, options);
    const append: Journal['append'] = async (...commit) => {
      if (!this.failing) return inner.append(...commit);
      this.refused++;
      throw new StoreError('UNAVAILABLE', 'nobody answers');
    };
    return new Proxy(inner, {
      get: (target, key) => {
        if (key === 'append') return append;
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

  close(): Promise<void> {
    return this.#memory.close();
  }
}
