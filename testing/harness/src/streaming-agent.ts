import { randomUUID } from 'node:crypto';

import type { Agent, AgentFactory, AgentSession, JsonObject, StepContext, StepOutcome, TokenDelta } from '@conv/core';
import { drafts, agentMessage } from '@conv/core/events';

/** The model's answer to a request. Returns the text of the answer. */
export type Think = (request: {
  readonly number: number;
  readonly context: StepContext;
  readonly say: (text: string, more?: Partial<TokenDelta>) => void;
}) => string | Promise<string>;

/** An agent whose model is a function. It streams its answer while a subscriber listens. */
export class StreamingAgent implements Agent {
  readonly toolNames: readonly string[] = [];
  readonly #think: Think;
  readonly #llm: JsonObject;
  #requests = 0;

  constructor(think: Think = () => 'done', llm: JsonObject = {}) {
    this.#think = think;
    this.#llm = { model: 'test', ...llm };
  }

  describe(): JsonObject {
    return { kind: 'Agent', llm: this.#llm, tools: [] };
  }

  withModel(): Agent {
    return this;
  }

  async start(): Promise<AgentSession> {
    return {
      tools: [],
      systemPrompt: () => drafts.systemPrompt('Answer.', []),
      step: (context) => this.#step(context),
      resources: () => [],
      execute: async () => Promise.reject(new Error('there are no tools')),
      answer: async () => Promise.reject(new Error('nobody asks')),
      close: async () => {},
    };
  }

  async #step(context: StepContext): Promise<StepOutcome> {
    const say = (text: string, more: Partial<TokenDelta> = {}): void =>
      context.onToken?.({ kind: 'text', attempt: 1, text, ...more });
    const text = await this.#think({ number: ++this.#requests, context, say });
    await context.emit([agentMessage({ content: text, llm_response_id: randomUUID() })]);
    return 'finished';
  }
}

/** Finds this agent again, whatever is described. */
export function only(agent: Agent): AgentFactory {
  return { revive: async () => agent };
}
