import { ConversationError, type AgentSession } from '@conv/core';
import type { ToolSession } from '@conv/core/tool';

import type { AnsweringAgent } from './answering-agent.ts';

/** The agent's session in one conversation. Its tools are made when first needed; a failure to make them is not cached. */
export class LazySession {
  readonly #agent: AnsweringAgent;
  readonly #tools: ToolSession;
  #starting: Promise<AgentSession> | undefined;
  readonly #closing = new AbortController();

  constructor(agent: AnsweringAgent, tools: ToolSession) {
    this.#agent = agent;
    this.#tools = tools;
  }

  /** The session, once it has started. */
  get started(): AgentSession | undefined {
    return this.#agent.session;
  }

  /** True if the session was started, or is being started. */
  get isUsed(): boolean {
    return this.#starting !== undefined;
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

  /** Closes the tools. Aborts the start of tools that are still being made, and closes tools that arrive regardless. */
  async close(): Promise<void> {
    this.#closing.abort(this.#closedError());
    await this.#agent.session?.close();
  }

  async #start(): Promise<AgentSession> {
    this.#assertOpen();
    const agent = this.#agent.current;
    const { signal } = this.#closing;
    // fence: during the await the session may have been closed, and the model changed; both are looked at behind it
    const session = await agent.start(this.#tools, { signal });
    if (signal.aborted) await session.close();
    this.#assertOpen();
    const { current } = this.#agent;
    if (current !== agent && !session.switchTo) {
      await session.close();
      return this.#start();
    }
    // another model was set while the tools were made
    if (current !== agent) session.switchTo?.(current);
    this.#agent.started(session);
    return session;
  }

  #assertOpen(): void {
    this.#closing.signal.throwIfAborted();
  }

  #closedError(): ConversationError {
    return new ConversationError('CLOSED', `conversation ${this.#tools.conversationId} is closed; open it again`);
  }
}
