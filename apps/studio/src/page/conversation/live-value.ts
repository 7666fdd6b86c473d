/** A value that changes while it is shown. Listeners are called after its changes, once for several changes that come together. */
export abstract class LiveValue<Value> {
  readonly #listeners = new Set<() => void>();
  readonly #ended = new AbortController();
  readonly #soon: (tell: () => void) => void;
  #value: Value;
  #told = false;

  /** `soon` runs a function a little later: changes until then are told together. */
  constructor(initial: Value, soon: (tell: () => void) => void) {
    this.#value = initial;
    this.#soon = soon;
  }

  /** The value; the same object until something changes. */
  get snapshot(): Value {
    return this.#value;
  }

  /** Calls the listener after changes; returns the function that ends this. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Ends the sources of the value, and forgets the listeners. Idempotent. */
  close(): void {
    this.#ended.abort();
    this.#listeners.clear();
  }

  /** Aborted by {@link LiveValue.close}. */
  protected get ended(): AbortSignal {
    return this.#ended.signal;
  }

  protected set(value: Value): void {
    this.#value = value;
    if (this.#told) return;
    this.#told = true;
    this.#soon(() => {
      this.#told = false;
      for (const listener of this.#listeners) listener();
    });
  }
}
