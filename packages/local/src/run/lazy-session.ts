import { ConversationError, type Agent, type AgentSession } from '@conv/core';
import type { ToolSession } from '@conv/core/tool';

/** The agent's session in one conversation. Its tools are made when first needed; a failure to make them is not cached. */
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

  /** The agent that answers now. */
  get agent(): Agent {
    return this.#agent;
  }

  /** True if the session can continue with another agent. */
  get canSwitch(): boolean {
    return this.#started === undefined || this.#started.switchTo !== undefined;
  }

  /** Returns the session and starts it when needed. Rejects as `Agent.start` does, and `CLOSED` after `close`. */
  get(): Promise<AgentSession> {
    this.#starting ??= this.#start().catch((error: unknown) => {
      // the next caller tries again: a server of tools may be back by then
      this.#starting = undefined;
      throw error;
    });
    return this.#starting;
  }

  /** Continues with this agent, which differs in its model alone: at once if the session has started, else as soon as it has. */
  switchTo(agent: Agent): void {
    this.#agent = agent;
    this.#started?.switchTo?.(agent);
  }

  /** Closes the tools. Aborts the start of tools that are still being made, and closes tools that arrive regardless. */
  async close(): Promise<void> {
    this.#closing.abort(this.#closedError());
    await this.#started?.close();
  }

  async #start(): Promise<AgentSession> {
    this.#assertOpen();
    const agent = this.#agent;
    const { signal } = this.#closing;
    // fence: during the await the session may have been closed, and the model changed; both are looked at behind it
    const session = await agent.start(this.#tools, { signal });
    if (signal.aborted) await session.close();
    this.#assertOpen();
    if (this.#agent !== agent && !session.switchTo) {
      await session.close();
      return this.#start();
    }
    // another model was set while the tools were made
    if (this.#agent !== agent) session.switchTo?.(this.#agent);
    this.#started = session;
    return session;
  }

  #assertOpen(): void {
    this.#closing.signal.throwIfAborted();
  }

  #closedError(): ConversationError {
    return new ConversationError('CLOSED', `conversation ${this.#tools.conversationId} is closed; open it again`);
  }
}
