import { checks, type ConversationGoal, type GoalOutcome } from '@conv/core';
import type { GoalStatus } from '@conv/core/events';
import { commandRoutes } from '@conv/openhands/rest';

import { failureOf, isTransient } from '../transport/server-failure.ts';
import type { ConversationLink } from './conversation-link.ts';

const DEFAULT_ROUNDS = 10;

/** Milliseconds between polls of the state while no socket reports it. */
const POLL = 1000;

/** Goals that a server pursues. They continue after this client disconnects. */
export class RemoteGoal implements ConversationGoal {
  readonly #link: ConversationLink;

  /** @internal */
  constructor(link: ConversationLink) {
    this.#link = link;
  }

  get status(): GoalStatus | undefined {
    return this.#link.state.goal ?? undefined;
  }

  async pursue(
    objective: string,
    options: { readonly maxIterations?: number; readonly signal?: AbortSignal } = {},
  ): Promise<GoalOutcome> {
    checks.callOptions('goal.pursue', options);
    const { maxIterations = DEFAULT_ROUNDS, signal } = options;
    if (typeof objective !== 'string' || objective.trim() === '')
      throw checks.invalid('the objective of a goal must be text that is not blank');
    const body = { objective, max_iterations: checks.maxIterations(maxIterations) };
    await this.#link.api.call(commandRoutes.startGoal, { body }, { repeatable: false });
    return this.#ended(signal);
  }

  async resume(
    options: Pick<{ readonly maxIterations?: number; readonly signal?: AbortSignal }, 'signal'> = {},
  ): Promise<GoalOutcome> {
    checks.callOptions('goal.resume', options);
    await this.#link.api.call(commandRoutes.resumeGoal, {}, { repeatable: false });
    return this.#ended(options.signal);
  }

  async stop(): Promise<void> {
    await this.#link.api.call(commandRoutes.stopGoal);
    await this.#link.follower.catchUp();
  }

  async #ended(signal: AbortSignal | undefined): Promise<GoalOutcome> {
    const { follower, api } = this.#link;
    let bell = Promise.withResolvers<void>();
    const forget = follower.onStatus(() => bell.resolve());
    const interrupt = (): void =>
      void api.send(commandRoutes.interrupt).then(
        () => bell.resolve(),
        () => bell.resolve(),
      );
    signal?.addEventListener('abort', interrupt, { once: true });
    if (signal?.aborted) interrupt();
    try {
      for (;;) {
        const outcome = await this.#look();
        if (outcome) return outcome;
        const timer = api.client.platform.setTimer(POLL, () => bell.resolve());
        await bell.promise;
        timer.cancel();
        bell = Promise.withResolvers<void>();
      }
    } finally {
      forget();
      signal?.removeEventListener('abort', interrupt);
    }
  }

  async #look(): Promise<GoalOutcome | undefined> {
    const { follower, state, closed } = this.#link;
    closed.throwIfAborted();
    if (follower.refused) throw follower.refused;
    try {
      await follower.catchUp();
    } catch (error) {
      const failure = failureOf(error);
      closed.throwIfAborted();
      if (failure && isTransient(failure)) return undefined;
      throw error;
    }
    const { goal } = state;
    if (!goal || goal.active || goal.status === 'running') return undefined;
    const verdict = goal.verdict ? { verdict: goal.verdict } : {};
    return { status: goal.status, rounds: goal.iteration, ...verdict };
  }
}
