import { abortable, type ConversationState } from '@conv/core';
import { Turns, type Timer } from '@conv/core/platform';

import type { ActiveRun } from '../run/active-run.ts';
import type { Lifetime } from './lifetime.ts';
import { askedTimes, expireQuestions, forgetAsked } from '../rules/expired-questions.ts';

/** Milliseconds until a commit that failed is tried again. */
const RETRY = 10_000;

/** Dependencies of {@link Expiry}. */
export interface ExpiryDeps {
  readonly state: ConversationState;
  /** The questions are watched until its end. */
  readonly lifetime: Lifetime;
  /** Milliseconds for which a person may decide. */
  readonly timeout: number;
  /** The active run looks at its calls again when one has expired. */
  readonly active: ActiveRun;
}

/** Rejects calls that wait longer than the limit, if there is one. */
export function watchQuestions({
  timeout,
  ...deps
}: Omit<ExpiryDeps, 'timeout'> & { readonly timeout: number | undefined }): void {
  const { state } = deps;
  if (timeout !== undefined) new Expiry({ ...deps, timeout });
  // clients would take the limit of an earlier process for one in force; a failure leaves them in that belief, and does nothing else
  else if (askedTimes(state.accepted).size > 0) void state.transaction(forgetAsked).catch(() => {});
}

/**
 * Rejects calls that waited too long for a person. The log has the times at which the person was asked, so a question expires also after
 * a restart, by the process that owns the conversation then.
 */
class Expiry {
  readonly #deps: ExpiryDeps;
  readonly #turns = new Turns();
  #timer: Timer | undefined;

  constructor(deps: ExpiryDeps) {
    const { state, lifetime } = deps;
    this.#deps = deps;
    // the callback waits for nothing: a run that ends waits for its subscribers
    state.subscribe({ onStateChange: () => this.#look() }, { signal: lifetime.ended });
    lifetime.ended.addEventListener('abort', () => this.#timer?.cancel(), { once: true });
    this.#look();
  }

  #look(): void {
    // a commit that fails is tried again later; a conversation that is lost or closed has another owner
    void this.#turns.run(() => abortable(this.#expire(), this.#deps.lifetime.ended)).catch(() => {});
  }

  async #expire(): Promise<void> {
    const { state, timeout, active } = this.#deps;
    this.#timer?.cancel();
    const { executionStatus, extra } = state.accepted;
    if (executionStatus !== 'waiting_for_confirmation' && askedTimes(state.accepted).size === 0) return;
    let wait = RETRY;
    try {
      await state.transaction((transaction) => expireQuestions(transaction, { now: state.platform.now(), timeout }));
      wait = Math.min(...askedTimes(state.accepted).values()) + timeout - state.platform.now();
      if (state.accepted.extra !== extra) active.run?.lookAgain();
    } finally {
      this.#wait(wait);
    }
  }

  #wait(milliseconds: number): void {
    const { state, lifetime } = this.#deps;
    if (milliseconds === Number.POSITIVE_INFINITY || lifetime.ended.aborted || state.lost.aborted) return;
    this.#timer = state.platform.setTimer(milliseconds, () => this.#look(), { background: true });
  }
}
