import type { AgentSession, ConversationState } from '@conv/core';

import type { Safeguards } from '../safeguards/safeguards.ts';

/** Appends the system prompt again when damage took it, so that no model works without its instructions (P4). */
export class LostPrompt {
  readonly #state: ConversationState;
  readonly #safeguards: Safeguards;
  /** Number of damaged spans at the last look at the branch; -1 before the first look. */
  #looked = -1;

  constructor(state: ConversationState, safeguards: Safeguards) {
    this.#state = state;
    this.#safeguards = safeguards;
  }

  /** Looks at the branch when a run begins, and again after new damage was found. Reading the view finds damage on the branch. */
  async restore(session: Pick<AgentSession, 'systemPrompt'>): Promise<void> {
    const state = this.#state;
    // damage counts from here: reading the view is what finds it
    if (this.#looked < 0) await state.modelView();
    if (this.#looked === state.damage.length) return;
    this.#looked = state.damage.length;
    if (this.#looked === 0) return;
    // decided inside the commit, because an answer or another branch may have come meanwhile
    await state.transaction(async (transaction) => {
      const { prompted, spoken } = transaction.branch;
      const { secrets = [] } = this.#safeguards.secrets ?? {};
      if (!prompted && spoken) await transaction.append(session.systemPrompt({ secrets }));
    });
  }
}
