/** The callbacks that wait for changes, by key: a conversation, a log, a file. */
export class Subscribers<Key> {
  readonly #byKey = new Map<Key, Set<() => void>>();
  readonly #begin: () => void;
  readonly #end: () => void;

  /** `begin` is called before the first callback is added, `end` after the last callback is removed. */
  constructor(begin: () => void = () => {}, end: () => void = () => {}) {
    this.#begin = begin;
    this.#end = end;
  }

  /** The number of keys with at least one callback. */
  get size(): number {
    return this.#byKey.size;
  }

  /** Returns the keys with at least one callback. */
  keys(): readonly Key[] {
    return [...this.#byKey.keys()];
  }

  /** Adds a callback. Returns a function that removes it. */
  add(key: Key, changed: () => void): () => void {
    if (this.size === 0) this.#begin();
    const callbacks = this.#byKey.get(key) ?? new Set();
    this.#byKey.set(key, callbacks.add(changed));
    return () => {
      callbacks.delete(changed);
      if (callbacks.size > 0 || this.#byKey.get(key) !== callbacks) return;
      this.#byKey.delete(key);
      if (this.size === 0) this.#end();
    };
  }

  /** Calls the callbacks of a key. */
  tell(key: Key): void {
    for (const changed of this.#byKey.get(key) ?? []) changed();
  }
}
