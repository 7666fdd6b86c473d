/** The callbacks that wait for changes, by key: a conversation, a log, a file. */
export class Subscribers<Key> {
  readonly #byKey = new Map<Key, Set<() => void>>();

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
    const callbacks = this.#byKey.get(key) ?? new Set();
    this.#byKey.set(key, callbacks.add(changed));
    return () => {
      callbacks.delete(changed);
      if (callbacks.size === 0 && this.#byKey.get(key) === callbacks) this.#byKey.delete(key);
    };
  }

  /** Calls the callbacks of a key. */
  tell(key: Key): void {
    for (const changed of this.#byKey.get(key) ?? []) changed();
  }
}
