import { abortable } from '@conv/core';
import type { Platform } from '@conv/core/platform';
import { SourceFailure } from './look-up.ts';

const BACK_OFF = 10_000;

/** A value, or the reason why there is none. */
export type Outcome = { readonly value: string } | { readonly reason: string };

interface Attempt {
  readonly outcome: Promise<Outcome>;
  readonly controller: AbortController;
  waiting: number;
}

/** Dependencies of a {@link SharedSource}. */
export interface SharedSourceDeps {
  /** Gets the value. */
  readonly ask: (signal: AbortSignal) => Promise<string>;
  /** Receives every value first, even without a waiting caller. Returns a reason to refuse it, or takes it. */
  readonly accept: (value: string) => string | undefined;
  readonly platform: Pick<Platform, 'monotonic'>;
}

/**
 * Asks a source for its current value each time, with one request at a time that all callers share. After a failure it does not
 * ask again for ten seconds.
 */
export class SharedSource {
  readonly #deps: SharedSourceDeps;
  #attempt: Attempt | undefined;
  #failure: { readonly reason: string; readonly until: number } | undefined;

  constructor(deps: SharedSourceDeps) {
    this.#deps = deps;
  }

  /** The reason why there is no value, if the source failed when it was last asked. */
  get failure(): string | undefined {
    return this.#failure?.reason;
  }

  /** Rejects with `signal.reason` alone. The attempt ends with the last caller that waits for it. */
  async outcome(signal: AbortSignal): Promise<Outcome> {
    if (this.#failure !== undefined && this.#deps.platform.monotonic() < this.#failure.until)
      return { reason: this.#failure.reason };
    const attempt = (this.#attempt ??= this.#start());
    attempt.waiting += 1;
    try {
      return await abortable(attempt.outcome, signal);
    } finally {
      attempt.waiting -= 1;
      if (attempt.waiting === 0 && this.#attempt === attempt) {
        this.#attempt = undefined;
        attempt.controller.abort(new Error('no caller waits for the value any more'));
      }
    }
  }

  #start(): Attempt {
    const controller = new AbortController();
    const attempt: Attempt = { outcome: this.#ask(controller.signal), controller, waiting: 0 };
    void attempt.outcome.then(() => {
      if (this.#attempt === attempt) this.#attempt = undefined;
    });
    return attempt;
  }

  async #ask(signal: AbortSignal): Promise<Outcome> {
    const { ask, accept, platform } = this.#deps;
    const outcome = await ask(signal).then(
      (value): Outcome => {
        const reason = accept(value);
        return reason === undefined ? { value } : { reason };
      },
      // An error that a function throws may contain the secret that it knows.
      (error: unknown): Outcome => ({ reason: error instanceof SourceFailure ? error.message : 'its function failed' }),
    );
    // An abandoned attempt does not count as a failure of the source.
    if (!signal.aborted) {
      this.#failure =
        'reason' in outcome ? { reason: outcome.reason, until: platform.monotonic() + BACK_OFF } : undefined;
    }
    return outcome;
  }
}
