import { abortable } from '@conv/core';
import type { Platform, Timer } from '@conv/core/platform';
import { LlmError } from '../llm-error.ts';

/** Dependencies of a {@link SilenceLimit}. */
export interface SilenceLimitDeps {
  readonly platform: Pick<Platform, 'setTimer'>;
  /** Milliseconds before the answer begins. */
  readonly limit: number;
  /** Milliseconds between two pieces of the answer. Default: `limit`. */
  readonly between?: number | undefined;
  /** The name of the model, for the error. */
  readonly model: string;
  readonly signal: AbortSignal;
}

/** Aborts a call when nothing happens for too long, or when the caller aborts. */
export class SilenceLimit {
  /** Aborted with the caller's reason, or with {@link LlmError} `TIMEOUT` after silence. */
  readonly signal: AbortSignal;
  readonly #silent = new AbortController();
  readonly #deps: SilenceLimitDeps;
  #timer: Timer | undefined;

  constructor(deps: SilenceLimitDeps) {
    this.#deps = deps;
    this.signal = AbortSignal.any([deps.signal, this.#silent.signal]);
    this.#wait(deps.limit);
  }

  /** Restarts the count. */
  heard(): void {
    const { between, limit } = this.#deps;
    this.#wait(between ?? limit);
  }

  #wait(limit: number): void {
    const { platform, model } = this.#deps;
    this.#timer?.cancel();
    this.#timer = platform.setTimer(limit, () => {
      this.#silent.abort(new LlmError('TIMEOUT', `${model}: silent for ${limit} ms; run again`));
    });
  }

  /**
   * Settles as `promise` does, or rejects at once with the reason when aborted, because not every model listens to its
   * signal. After an abort the outcome of `promise` is ignored.
   */
  async race<T>(promise: PromiseLike<T>): Promise<T> {
    const { signal } = this;
    try {
      return await abortable(Promise.resolve(promise), signal);
    } catch (error) {
      throw signal.aborted ? signal.reason : error;
    }
  }

  end(): void {
    this.#timer?.cancel();
  }
}
