import { ConversationError, type Agent, type AgentSession } from '@conv/core';
import type { ToolSession } from '@conv/core/tool';

/** The agent at work in one conversation: its tools are made when first needed, and a failure to make them is not remembered. */
export class LazySession {
  readonly #tools: ToolSession;
  #agent: Agent;
  #starting: Promise<AgentSession> | undefined;
  #started: AgentSession | undefined;
  readonly #closing = new AbortController();

  constructor(agent: Agent, tools: ToolSession) {
    this.#agent = agent;
    this.#tools = tools;
  }

  /** The agent that answers. */
  get agent(): Agent {
    return this.#agent;
  }

  /** Whether it can go on as another agent. */
  get canSwitch(): boolean {
    return this.#started === undefined || this.#started.switchTo !== undefined;
  }

  /** Rejects as `Agent.start` does, and `CLOSED` after `close`. */
  get(): Promise<AgentSession> {
    this.#starting ??= this.#start().catch((error: unknown) => {
      this.#starting = undefined;
      throw error;
    });
    return this.#starting;
  }

  /** Goes on as this agent, which differs in its model alone: at once when it is at work, else as soon as it is. */
  switchTo(agent: Agent): void {
    this.#agent = agent;
    this.#started?.switchTo?.(agent);
  }

  /**
   * Lets go of the tools. Does not wait for tools that are still being made: that is told to stop, and those that come regardless
   * are closed when they are there.
   */
  async close(): Promise<void> {
    this.#closing.abort(this.#closedError());
    await this.#started?.close();
  }

  async #start(): Promise<AgentSession> {
    this.#assertOpen();
    const agent = this.#agent;
    const { signal } = this.#closing;
    const session = await agent.start(this.#tools, { signal });
    if (signal.aborted) await session.close();
    this.#assertOpen();
    if (this.#agent !== agent && !session.switchTo) {
      await session.close();
      return this.#start();
    }
    // while the tools were made another model was set
    if (this.#agent !== agent) session.switchTo?.(this.#agent);
    this.#started = session;
    return session;
  }

  #assertOpen(): void {
    this.#closing.signal.throwIfAborted();
  }

  #closedError(): ConversationError {
    return new ConversationError('CLOSED', `conversation ${this.#tools.conversationId}`);
  }
}
