import type { Agent } from '@conv/core';
import type { ToolSession } from '@conv/core/tool';
import type { Described } from './describe.ts';

const parts = new WeakMap<Agent, Described>();
const callers = new WeakMap<ToolSession, Described>();

/** Stores the parts of an agent for sessions that switch to this agent. */
export function rememberParts(agent: Agent, made: Described): Agent {
  parts.set(agent, made);
  return agent;
}

/** Returns the parts that an agent of this package was made from. Throws `TypeError` for any other agent. */
export function partsOf(agent: Agent): Described {
  const made = parts.get(agent);
  if (made === undefined) throw new TypeError('expected an agent of this package');
  return made;
}

/** Stores the agent that calls the tools of this session, because sub-agents are built like it. */
export function rememberCaller(session: ToolSession, parts: Described): void {
  callers.set(session, parts);
}

/** Returns the agent that calls the tools of this session now; `undefined` unless it is an agent of this package. */
export function callerOf(session: ToolSession): Described | undefined {
  return callers.get(session);
}
