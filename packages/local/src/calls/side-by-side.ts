/** Work that goes on side by side. What fails first ends the rest. */
export class SideBySide {
  /** Aborted by the signal that it was made with, and by the first failure, whose error is then the reason. */
  readonly signal: AbortSignal;
  readonly #controller = new AbortController();
  readonly #open = new Set<Promise<void>>();
  #failure: { readonly error: unknown } | undefined;

  constructor(signal: AbortSignal) {
    this.signal = AbortSignal.any([signal, this.#controller.signal]);
  }

  /** Begins another piece of work. */
  add(work: () => Promise<void>): void {
    const open = work()
      .catch((error: unknown) => this.#fail(error))
      .finally(() => this.#open.delete(open));
    this.#open.add(open);
  }

  /** Resolves when all of it has ended, with what was added meanwhile. Rejects then, when a part failed, with its error. */
  async end(): Promise<void> {
    while (this.#open.size > 0) await Promise.all(this.#open);
    if (this.#failure) throw this.#failure.error;
  }

  #fail(error: unknown): void {
    this.#failure ??= { error };
    this.#controller.abort(error);
  }
}
