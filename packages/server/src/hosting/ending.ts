/**
 * The end of a conversation for its followers. It is told by calls, because a signal and its listeners take a kilobyte, and a server may have thousands of idle
 * conversations. The signal is made for a follower that needs one.
 */
export class Ending {
  /** The calls to make, in their order. */
  #calls: readonly (() => void)[] = [];
  #end: { readonly reason: unknown } | undefined;
  #controller: AbortController | undefined;

  get isOver(): boolean {
    return this.#end !== undefined;
  }

  /** The reason of the end; `undefined` before it. */
  get reason(): unknown {
    return this.#end?.reason;
  }

  /** Aborted with the reason of the end. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#end) this.#controller.abort(this.#end.reason);
    return this.#controller.signal;
  }

  /** Calls `told` once at the end, unless the function that is returned was called before. Does nothing after the end. */
  whenOver(told: () => void): () => void {
    if (this.#end) return () => {};
    // an object of its own: the same function may be given twice
    const call = (): void => told();
    this.#calls = this.#calls.concat(call);
    return () => void (this.#calls = this.#calls.filter((other) => other !== call));
  }

  /** Ends it. Only the first call counts. */
  end(reason: unknown): void {
    if (this.#end) return;
    this.#end = { reason };
    const calls = this.#calls;
    this.#calls = [];
    this.#controller?.abort(reason);
    for (const call of calls) call();
  }
}
