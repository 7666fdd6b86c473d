/**
 * Runs the work of one key in the order of the calls, one at a time. Work of different keys runs concurrently. A failure rejects
 * its own call only; the next work still runs.
 */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Runs the work when all earlier work of the same key has ended. Resolves and rejects as the work does. */
  run<T>(work: () => T | Promise<T>, key = ''): Promise<T> {
    const turn = (this.#last.get(key) ?? Promise.resolve()).then(work);
    const ended = turn.then(ignore, ignore).then(() => {
      if (this.#last.get(key) === ended) this.#last.delete(key);
    });
    this.#last.set(key, ended);
    return turn;
  }
}

function ignore(): void {}
