/** The functions that are called when a value changed. The bound methods fit `useSyncExternalStore`. */
export class Listeners {
  readonly #all = new Set<() => void>();

  /** Adds a function; the result removes it. */
  readonly subscribe = (changed: () => void): (() => void) => {
    this.#all.add(changed);
    return () => this.#all.delete(changed);
  };

  tell(): void {
    for (const changed of this.#all) changed();
  }
}
