import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';

import type { Agent, AgentSession, StepContext, StepOutcome } from '@conv/core';
import { agentMessage, drafts } from '@conv/core/events';

/** The way in which an agent answers. */
export interface Answering {
  /** Pieces of an answer. */
  readonly pieces: number;
  /** Milliseconds between two of them; 0: one after the other. */
  readonly every: number;
  /** True if an answer begins when {@link GatedAgents.open} says so. */
  readonly gated: boolean;
}

/** Agents that answer in pieces, each with as little work as possible. */
export class GatedAgents {
  readonly #gates = new Map<string, PromiseWithResolvers<void>>();

  /** Returns an agent for a conversation. */
  agent(id: string, answering: Answering): Agent {
    const session: AgentSession = {
      tools: [],
      systemPrompt: () => drafts.systemPrompt('bench', []),
      step: (context) => this.#step(id, context, answering),
      resources: () => [],
      execute: () => Promise.reject(new Error('this agent calls nothing')),
      answer: () => Promise.reject(new Error('not asked here')),
      close: async () => {},
    };
    const agent: Agent = {
      describe: () => ({ kind: 'Agent', llm: { model: 'bench' } }),
      toolNames: [],
      start: async () => session,
      withModel: () => agent,
    };
    return agent;
  }

  /** Lets the answer of a conversation begin. */
  open(id: string): void {
    this.#gate(id).resolve();
  }

  async #step(id: string, context: StepContext, answering: Answering): Promise<StepOutcome> {
    const { pieces, every, gated } = answering;
    if (gated) await this.#gate(id).promise;
    this.#gates.delete(id);
    let text = '';
    for (let nth = 0; nth < pieces; nth++) {
      const piece = `piece ${nth} `;
      text += piece;
      context.onToken?.({ kind: 'text', attempt: 1, text: piece });
      await (every > 0 ? sleep(every) : turn());
    }
    await context.emit([agentMessage({ content: text, llm_response_id: crypto.randomUUID() })]);
    return 'finished';
  }

  #gate(id: string): PromiseWithResolvers<void> {
    const gate = this.#gates.get(id) ?? Promise.withResolvers<void>();
    this.#gates.set(id, gate);
    return gate;
  }
}
