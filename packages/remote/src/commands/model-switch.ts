import { checks, type Agent, type JsonObject } from '@conv/core';
import { commandRoutes } from '@conv/openhands/rest';

import type { ConversationApi } from '../transport/conversation-api.ts';
import type { ConversationLink } from './conversation-link.ts';

/** The options of an opening that a later change of the model needs. */
export interface KnownModel {
  /** The agent, which knows what a model is. */
  readonly agent: Agent | undefined;
  /** The model as it was sent with its key, if an agent was given. */
  readonly llm: JsonObject | undefined;
}

/** Characters of a random id that make a usage id a new one. */
const SUFFIX = 8;

/** Replaces the agent's model. */
export class ModelSwitch {
  readonly #link: ConversationLink;
  readonly #agent: Agent | undefined;
  /** The last model that was given here, with its key. */
  #given: JsonObject | undefined;

  constructor(link: ConversationLink, { agent, llm }: KnownModel) {
    this.#link = link;
    this.#agent = agent;
    this.#given = llm;
  }

  /** True if a fork would lack the key of its model, because the server drops keys and this client does not know it. */
  get losesKeys(): boolean {
    return !this.#link.capabilities.commits && this.#current === undefined;
  }

  /** See `ConversationSettings.setModel`. Resolves when the server asks this model from its next request on. */
  async use(model: unknown): Promise<void> {
    const llm = this.#llmOf(model);
    await this.#send(this.#link.api, llm);
    this.#given = llm;
    await this.#link.follower.sync();
  }

  /** Gives a fork its model with the key, where the server drops keys and this client knows it. */
  async giveTo(fork: ConversationApi): Promise<void> {
    const llm = this.#current;
    if (llm !== undefined && !this.#link.capabilities.commits) await this.#send(fork, llm);
  }

  /** The model in force with its key; `undefined` if another client chose it, or its key is not known here. */
  get #current(): JsonObject | undefined {
    const { llm } = this.#link.state.agent;
    const there = (llm ?? {}) as { readonly model?: unknown };
    const { model, api_key: key } = this.#given ?? {};
    return typeof key === 'string' && model === there.model ? this.#given : undefined;
  }

  /** OpenHands' server keeps the first model of each usage id, so each switch there has a usage id of its own. */
  async #send(api: ConversationApi, llm: JsonObject): Promise<void> {
    const { commits } = this.#link.capabilities;
    const usage = typeof llm['usage_id'] === 'string' ? llm['usage_id'] : 'agent';
    const id = `${usage}:${api.client.platform.id().slice(0, SUFFIX)}`;
    await api.call(commandRoutes.switchLlm, { body: { llm: commits ? llm : { ...llm, usage_id: id } } });
  }

  #llmOf(model: unknown): JsonObject {
    if (this.#agent) {
      const llm = this.#described(this.#agent, model)['llm'];
      if (typeof llm === 'object' && llm !== null) return llm as JsonObject;
    }
    if (typeof model === 'object' && model !== null && typeof (model as JsonObject)['model'] === 'string')
      return model as JsonObject;
    throw checks.invalid(
      'expected a model that the agent of this conversation accepts, or an LLM object with a member "model"',
    );
  }

  #described(agent: Agent, model: unknown): JsonObject {
    try {
      return agent.withModel(model).describe({ secrets: 'plain' });
    } catch (error) {
      if (error instanceof TypeError) throw checks.invalid(error.message, error);
      throw error;
    }
  }
}
