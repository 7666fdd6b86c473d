import { abortable, ConversationError, type AgentSession } from '@conv/core';
import { drafts } from '@conv/core/events';

import { Budget } from '../rules/budget.ts';
import type { CommandDeps } from './command-deps.ts';
import { LocalStepContext } from '../run/step-context.ts';

/** Condensations on request. The request is a commit of its own, so that it outlives the process that works on it. */
export class Condensing {
  readonly #deps: CommandDeps;
  #current: { readonly done: Promise<void>; readonly controller: AbortController } | undefined;

  constructor(deps: CommandDeps) {
    this.#deps = deps;
  }

  /** The condensation in progress. No run may start and the branch may not move meanwhile. */
  get current(): Promise<void> | undefined {
    return this.#current?.done;
  }

  /** See {@link ConversationHistory.condense}. A second request during a condensation shares its promise. */
  condense(): Promise<void> {
    if (this.#current) return this.#current.done;
    const controller = new AbortController();
    // a run that begins from now on waits for it
    const inRun = this.#deps.active.run !== undefined;
    const done = this.#condense(inRun, controller.signal).finally(() => (this.#current = undefined));
    this.#current = { done, controller };
    return done;
  }

  /** Cancels the condensation: it rejects with `reason` at once, and the request waits for the next run. */
  interrupt(reason: unknown): void {
    this.#current?.controller.abort(reason);
  }

  async #condense(inRun: boolean, signal: AbortSignal): Promise<void> {
    const { state, session } = this.#deps;
    try {
      const agent = await abortable(session.get(), signal);
      const condense = agent.condense?.bind(agent);
      if (!condense) throw unsupported(state.id);
      if (await this.#request(inRun)) await this.#perform(agent, condense, signal);
    } catch (error) {
      throw signal.aborted && error === signal.reason ? error : state.mask.error(error);
    }
  }

  /** Commits the request. Resolves with false if none is needed, or an active run performs it. */
  #request(inRun: boolean): Promise<boolean> {
    const { state, active } = this.#deps;
    return state.transaction(async (transaction) => {
      if (!transaction.branch.spoken) return false;
      await transaction.append(drafts.condensationRequest());
      return !(inRun && active.run);
    });
  }

  async #perform(
    session: AgentSession,
    condense: NonNullable<AgentSession['condense']>,
    signal: AbortSignal,
  ): Promise<void> {
    const { state, safeguards } = this.#deps;
    const budget = new Budget();
    const nothing = (): void => {};
    const passive = { settle: nothing, sawMessage: nothing, answered: nothing };
    const context = new LocalStepContext({ state, signal, safeguards, budget, session, ...passive });
    try {
      await abortable(condense(context), signal);
    } finally {
      context.close();
    }
  }
}

function unsupported(id: string): ConversationError {
  const message = `the agent of conversation ${id} has no condenser that takes requests; give it one, such as llmSummarizingCondenser()`;
  return new ConversationError('UNSUPPORTED', message, { conversationId: id });
}
