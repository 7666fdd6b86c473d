import type { AgentSession, ConversationState } from '@conv/core';

import type { Controls } from '../safeguards/safeguards.ts';

/** Says the system prompt again when damage took it, so that no model works without its instructions (P4). */
export class LostPrompt {
  readonly #state: ConversationState;
  readonly #controls: Controls;
  /** Spans of damage for which the branch was looked at; -1 before the first look. */
  #looked = -1;

  constructor(state: ConversationState, controls: Controls) {
    this.#state = state;
    this.#controls = controls;
  }

  /** Looks when a run begins, and again after new damage was found. Reading the view finds damage that it meets. */
  async restore(session: Pick<AgentSession, 'systemPrompt'>): Promise<void> {
    const state = this.#state;
    if (this.#looked < 0) await state.modelView();
    if (this.#looked === state.damage.length) return;
    this.#looked = state.damage.length;
    if (this.#looked === 0) return;
    await state.transaction(async (transaction) => {
      const { prompted, spoken } = transaction.branch;
      const { secrets = [] } = this.#controls.secrets ?? {};
      if (!prompted && spoken) await transaction.append(session.systemPrompt({ secrets }));
    });
  }
}
