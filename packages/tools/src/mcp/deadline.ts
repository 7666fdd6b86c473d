/** A time limit whose timer is given back when the work has ended before it, as `AbortSignal.timeout` cannot. */
export class Deadline {
  readonly #controller: AbortController = new AbortController();
  readonly #timer: NodeJS.Timeout;

  /** `time`: milliseconds until the signal aborts. The timer does not keep the process running. */
  constructor(time: number) {
    const expire = (): void => this.#controller.abort(new DOMException('the time is over', 'TimeoutError'));
    this.#timer = setTimeout(expire, time).unref();
  }

  /** Aborts at the deadline. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** True once the deadline is over. */
  get isOver(): boolean {
    return this.#controller.signal.aborted;
  }

  /** Lifts the limit; the signal never aborts after this. */
  lift(): void {
    clearTimeout(this.#timer);
  }
}
