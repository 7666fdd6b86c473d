import type { Agent } from '@conv/core';
import type { Described } from './describe.ts';

const parts = new WeakMap<Agent, Described>();

/** Remembers the parts that an agent was made from, for the sessions that switch to this agent. */
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
