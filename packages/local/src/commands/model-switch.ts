import { type Agent, type Cipher, ConversationError, type ConversationState, type SecretVault } from '@conv/core';

import { describeAgent } from '../options/conversation-options.ts';
import { keepSecrets } from '../safeguards/conversation-secrets.ts';
import type { AnsweringAgent } from '../run/answering-agent.ts';

export interface ModelSwitchInput {
  readonly state: ConversationState;
  readonly vault: SecretVault | undefined;
  /** Encrypts stored keys; without a cipher they are stored redacted. */
  readonly cipher: Cipher | undefined;
}

/** Changes the model of a conversation's agent. */
export class ModelSwitch {
  readonly #agent: AnsweringAgent;
  readonly #input: ModelSwitchInput;
  /** Agents that are stored and do not answer yet. Made when the first one is set, because most conversations keep their model. */
  #coming: Set<Agent> | undefined;

  constructor(agent: AnsweringAgent, input: ModelSwitchInput) {
    this.#agent = agent;
    this.#input = input;
  }

  /** True while a model is being stored. */
  get isSetting(): boolean {
    return this.#coming !== undefined && this.#coming.size > 0;
  }

  /** See {@link ConversationSettings.setModel}. */
  async set(model: unknown): Promise<void> {
    const { state, vault, cipher } = this.#input;
    if (!this.#agent.canSwitch)
      throw new ConversationError(
        'UNSUPPORTED',
        `the agent of conversation ${state.id} cannot change while it works; give the other model when you open it`,
      );
    const agent = withModel(this.#agent.current, model);
    const keys = keysOf(agent);
    vault?.hide(keys);
    // an answer under an earlier key may show it again after a restart, when no model holds the key any more
    const coming = (this.#coming ??= new Set());
    const earlier = [this.#agent.current, ...coming].flatMap(keysOf).filter((key) => !keys.includes(key));
    vault?.hide(earlier, { keep: true });
    coming.add(agent);
    try {
      await state.transaction((transaction) => {
        transaction.update({ set: { agent: describeAgent(agent, cipher) } });
        if (vault) keepSecrets(transaction, vault.stored);
      });
    } finally {
      coming.delete(agent);
    }
    // in the order of the commits, so that the agent that answers is the stored agent
    this.#agent.switchTo(agent);
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
