import { type Agent, type Cipher, ConversationError, type ConversationState, type SecretVault } from '@conv/core';

import { describeAgent } from '../options/conversation-options.ts';
import { keepSecrets } from '../safeguards/conversation-secrets.ts';
import type { LazySession } from '../run/lazy-session.ts';

export interface ModelSwitchInput {
  readonly state: ConversationState;
  readonly session: LazySession;
  readonly vault: SecretVault | undefined;
  /** Encrypts stored keys; without a cipher they are stored redacted. */
  readonly cipher: Cipher | undefined;
}

/** Changes the model of a conversation's agent. */
export class ModelSwitch {
  readonly #input: ModelSwitchInput;
  /** Agents that are stored and do not answer yet. */
  readonly #coming = new Set<Agent>();

  constructor(input: ModelSwitchInput) {
    this.#input = input;
  }

  /** See {@link ConversationSettings.setModel}. */
  async set(model: unknown): Promise<void> {
    const { state, session, vault, cipher } = this.#input;
    if (!session.canSwitch)
      throw new ConversationError(
        'UNSUPPORTED',
        `the agent of conversation ${state.id} cannot change while it works; give the other model when you open it`,
      );
    const agent = withModel(session.agent, model);
    const keys = keysOf(agent);
    vault?.hide(keys);
    // an answer under an earlier key may show it again after a restart, when no model holds the key any more
    const earlier = [session.agent, ...this.#coming].flatMap(keysOf).filter((key) => !keys.includes(key));
    vault?.hide(earlier, { keep: true });
    this.#coming.add(agent);
    try {
      await state.transaction((transaction) => {
        transaction.update({ set: { agent: describeAgent(agent, cipher) } });
        if (vault) keepSecrets(transaction, vault.stored);
      });
    } finally {
      this.#coming.delete(agent);
    }
    // in the order of the commits, so that the agent that answers is the stored agent
    session.switchTo(agent);
  }
}

function keysOf(agent: Agent): readonly string[] {
  return agent.secretValues?.() ?? [];
}

function withModel(agent: Agent, model: unknown): Agent {
  try {
    return agent.withModel(model);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new ConversationError('INVALID_INPUT', `model: ${error.message}`, { cause: error });
  }
}
