import {
  ConversationError,
  type Agent,
  type AgentSession,
  type Cipher,
  type JsonObject,
  type StateFields,
} from '@conv/core';
import type { ToolSession } from '@conv/core/tool';

export interface UnbuiltAgentInput {
  readonly stored: Pick<StateFields, 'id' | 'agent'>;
  readonly toolNames: readonly string[];
  /** Builds the agent of a description. Rejects `AGENT_REQUIRED` with the reason when it cannot. */
  readonly build: (description: JsonObject) => Promise<Agent>;
  /** The agent with its model and nothing else; `undefined` when that cannot be built either. */
  readonly bare: Agent | undefined;
  /** True if the model of `bare` replaces the stored one. */
  readonly remodelled: boolean;
}

/**
 * The agent of a stored conversation that cannot be built here. It stands in for the agent in everything but work: its description is
 * the stored one, its model can be replaced, and each start tries to build it again.
 */
export class UnbuiltAgent implements Agent {
  readonly toolNames: readonly string[];
  readonly #input: UnbuiltAgentInput;
  #built: Agent | undefined;

  constructor(input: UnbuiltAgentInput) {
    this.#input = input;
    this.toolNames = input.toolNames;
  }

  /** Returns the stored description as it is, because nothing here can read its secrets, with the model that was set. */
  describe(options?: {
    secrets?: NonNullable<NonNullable<Parameters<Agent['describe']>[0]>['secrets']>;
    cipher?: Cipher;
  }): JsonObject {
    const { stored, bare, remodelled } = this.#input;
    return remodelled && bare ? { ...stored.agent, llm: bare.describe(options)['llm'] ?? {} } : stored.agent;
  }

  /** Returns the keys of the model, as far as they can be read. */
  secretValues(): readonly string[] {
    return (this.#built ?? this.#input.bare)?.secretValues?.() ?? [];
  }

  /** Rejects `AGENT_REQUIRED` with the reason while the agent cannot be built. */
  async start(session: ToolSession, options?: { readonly signal?: AbortSignal }): Promise<AgentSession> {
    this.#built ??= await this.#input.build(this.describe({ secrets: 'plain' }));
    return this.#built.start(session, options);
  }

  withModel(model: unknown): Agent {
    if (this.#built) return this.#built.withModel(model);
    const { bare } = this.#input;
    if (bare) return new UnbuiltAgent({ ...this.#input, bare: bare.withModel(model), remodelled: true });
    throw agentRequired(this.#input.stored.id, 'not even its model is known');
  }
}

/** Returns the error for work without an agent. */
export function agentRequired(conversationId: string, reason: string, cause?: unknown): ConversationError {
  const message = `the agent of conversation ${conversationId} cannot be built here: ${reason}; open it with the option agent`;
  return new ConversationError('AGENT_REQUIRED', message, { cause, conversationId });
}
