/** Concurrent work. The first failure ends the rest. */
export class SideBySide {
  /** Aborted by the signal of the constructor, and by the first failure, whose error is then the reason. */
  readonly signal: AbortSignal;
  readonly #controller = new AbortController();
  readonly #open = new Set<Promise<void>>();
  #failure: { readonly error: unknown } | undefined;

  constructor(signal: AbortSignal) {
    this.signal = AbortSignal.any([signal, this.#controller.signal]);
  }

  /** Begins another task. */
  add(work: () => Promise<void>): void {
    const open = work()
      .catch((error: unknown) => this.#fail(error))
      .finally(() => this.#open.delete(open));
    this.#open.add(open);
  }

  /** Resolves when all tasks have ended, with those added meanwhile. Rejects then with the error of the first failed task. */
  async end(): Promise<void> {
    while (this.#open.size > 0) await Promise.all(this.#open);
    if (this.#failure) throw this.#failure.error;
  }

  #fail(error: unknown): void {
    this.#failure ??= { error };
    this.#controller.abort(error);
  }
}
