import type { Agent, AgentSession } from '@conv/core';

/**
 * The agent that answers now, and its session once that has started. `LazySession` starts the session and `ModelSwitch` changes its model. Both have this
 * object, because each would need the other: a tool of the session may change the model.
 */
export class AnsweringAgent {
  #agent: Agent;
  #session: AgentSession | undefined;

  constructor(agent: Agent) {
    this.#agent = agent;
  }

  /** The agent that answers now. */
  get current(): Agent {
    return this.#agent;
  }

  /** The session; `undefined` until it has started. */
  get session(): AgentSession | undefined {
    return this.#session;
  }

  /** True if the session can continue with another agent. */
  get canSwitch(): boolean {
    return this.#session === undefined || this.#session.switchTo !== undefined;
  }

  /** Continues with this agent, which differs in its model alone: at once if the session has started, else as soon as it has. */
  switchTo(agent: Agent): void {
    this.#agent = agent;
    this.#session?.switchTo?.(agent);
  }

  /** Notes that the session has started, with the agent that answers now. */
  started(session: AgentSession): void {
    this.#session = session;
  }
}
