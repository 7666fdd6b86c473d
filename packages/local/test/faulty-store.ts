import { MemoryStore, StoreError, type ConversationStore, type Journal, type StoreErrorCode } from '@conv/core/store';

type Append = Journal['append'];

/** A store in memory whose appends can be held, refused or fenced off. */
export class FaultyStore implements ConversationStore {
  readonly features: ConversationStore['features'];
  readonly #memory = new MemoryStore();
  readonly #lost = new AbortController();
  #appends = 0;
  /** What becomes of the n-th append, counted from 1 over all journals; throwing refuses it, waiting holds it. */
  onAppend: ((number: number) => void | Promise<void>) | undefined;
  /** What a fork waits for. */
  onFork: (() => Promise<void>) | undefined;
  closed = false;

  constructor() {
    this.features = this.#memory.features;
  }

  /** How many appends were asked for. */
  get appends(): number {
    return this.#appends;
  }

  /** Every append from now on is refused with this code. */
  refuse(code: StoreErrorCode = 'UNAVAILABLE'): void {
    this.onAppend = () => {
      throw new StoreError(code, 'told to fail');
    };
  }

  /** Another process takes the conversation over. */
  fenceOff(): void {
    this.refuse('FENCED');
    this.#lost.abort(new StoreError('FENCED', 'told to fail'));
  }

  async open(...[id, options]: Parameters<ConversationStore['open']>): Promise<Journal> {
    const journal = await this.#memory.open(id, options);
    const append: Append = async (commit, after) => {
      const number = ++this.#appends;
      const held = this.onAppend?.(number);
      if (held) await held;
      return journal.append(commit, after);
    };
    return new Proxy(journal, {
      get: (target, key) => {
        if (key === 'append') return append;
        if (key === 'lost') return this.#lost.signal;
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

  async fork(...[id, newId, options]: Parameters<ConversationStore['fork']>): Promise<void> {
    await this.onFork?.();
    return this.#memory.fork(id, newId, options);
  }

  delete(id: string): Promise<void> {
    return this.#memory.delete(id);
  }

  async close(): Promise<void> {
    this.closed = true;
    await this.#memory.close();
  }
}
