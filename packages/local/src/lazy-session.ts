import { ConversationError, type Agent, type AgentSession } from '@conv/core';
import type { ToolSession } from '@conv/core/tool';

/** The agent at work in one conversation: its tools are made when first needed, and a failure to make them is not remembered. */
export class LazySession {
  readonly #agent: Agent;
  readonly #tools: ToolSession;
  #starting: Promise<AgentSession> | undefined;
  #started: AgentSession | undefined;
  #closed = false;

  constructor(agent: Agent, tools: ToolSession) {
    this.#agent = agent;
    this.#tools = tools;
  }

  /** Rejects as `Agent.start` does, and `CLOSED` after `close`. */
  get(): Promise<AgentSession> {
    this.#starting ??= this.#start().catch((error: unknown) => {
      this.#starting = undefined;
      throw error;
    });
    return this.#starting;
  }

  /** Lets go of the tools. Does not wait for tools that are still being made: they are closed when they are there. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#started?.close();
  }

  async #start(): Promise<AgentSession> {
    this.#assertOpen();
    const session = await this.#agent.start(this.#tools);
    if (this.#closed) await session.close();
    this.#assertOpen();
    this.#started = session;
    return session;
  }

  #assertOpen(): void {
    if (this.#closed) throw new ConversationError('CLOSED', `conversation ${this.#tools.conversationId}`);
  }
}
