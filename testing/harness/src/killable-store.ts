import { MemoryStore, type ConversationStore, type Journal } from '@conv/core/store';

/** A store in memory whose writers can be killed: what they append afterwards is never stored and never answered. */
export class KillableStore implements ConversationStore {
  readonly features: ConversationStore['features'];
  readonly #memory = new MemoryStore();
  readonly #alive = new Map<Journal, { dead: boolean }>();

  constructor() {
    this.features = this.#memory.features;
  }

  async open(...[id, options]: Parameters<ConversationStore['open']>): Promise<Journal> {
    const inner = await this.#memory.open(id, options);
    const life = { dead: false };
    this.#alive.set(inner, life);
    return new Proxy(inner, {
      get: (target, key) => {
        if (life.dead) return () => new Promise(() => {});
        const value: unknown = Reflect.get(target, key, target);
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    });
  }

  /** Ends all writers without giving them another byte to write. */
  async kill(): Promise<void> {
    for (const [journal, life] of this.#alive) {
      life.dead = true;
      await journal.close();
    }
    this.#alive.clear();
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

  async close(): Promise<void> {
    await this.kill();
    await this.#memory.close();
  }
}
