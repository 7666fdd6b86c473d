import { timerFor } from '../../base/timer-for.ts';
import { LlmError } from '../llm-error.ts';

/** Aborts a call when nothing happens for `limit` milliseconds, or when the caller aborts. */
export class SilenceLimit {
  /** Aborted with the caller's reason, or with {@link LlmError} `TIMEOUT` after silence. */
  readonly signal: AbortSignal;
  readonly #silent = new AbortController();
  readonly #limit: number;
  readonly #model: string;
  #timer: NodeJS.Timeout | undefined;

  constructor(limit: number, model: string, signal: AbortSignal) {
    this.#limit = limit;
    this.#model = model;
    this.signal = AbortSignal.any([signal, this.#silent.signal]);
    this.heard();
  }

  /** Starts the count anew. */
  heard(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#silent.abort(new LlmError('TIMEOUT', `${this.#model}: silent for ${this.#limit} ms`));
    }, timerFor(this.#limit));
  }

  /**
   * Settles as `promise` does, or rejects at once with the reason when aborted, because not every model listens to its
   * signal. After an abort the outcome of `promise` is ignored.
   */
  async race<T>(promise: PromiseLike<T>): Promise<T> {
    const { signal } = this;
    const settled = Promise.resolve(promise);
    settled.catch(() => {});
    signal.throwIfAborted();
    let onAbort: (() => void) | undefined;
    const aborted = new Promise<never>((_, reject) => {
      onAbort = () => reject(signal.reason);
      signal.addEventListener('abort', onAbort, { once: true });
    });
    try {
      return await Promise.race([settled, aborted]);
    } catch (error) {
      throw signal.aborted ? signal.reason : error;
    } finally {
      if (onAbort !== undefined) signal.removeEventListener('abort', onAbort);
    }
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}
