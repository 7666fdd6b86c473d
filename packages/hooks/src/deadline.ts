/** Ends a piece of work after a time, or when an outer signal aborts. */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #outer: AbortSignal;
  readonly #timer: NodeJS.Timeout;
  readonly #follow = (): void => this.#controller.abort(this.#outer.reason);
  #passed = false;

  constructor(seconds: number, outer: AbortSignal) {
    this.#outer = outer;
    this.#timer = setTimeout(() => {
      this.#passed = !this.#controller.signal.aborted;
      this.#controller.abort(new DOMException(`no end within ${seconds} s`, 'TimeoutError'));
    }, seconds * 1000);
    if (outer.aborted) this.#follow();
    else outer.addEventListener('abort', this.#follow, { once: true });
  }

  /** Aborts at either. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The time was over first. */
  get passed(): boolean {
    return this.#passed;
  }

  /** The work is done: nothing aborts any more. */
  clear(): void {
    clearTimeout(this.#timer);
    this.#outer.removeEventListener('abort', this.#follow);
  }
}

/** Resolves or rejects as the promise does. If the signal aborts first, rejects with its reason and ignores the promise. */
export async function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  let stop: (() => void) | undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    if (stop) signal.removeEventListener('abort', stop);
  }
}
