import type { ToolSession } from '@conv/core/tool';
import type { Described } from './describe.ts';

const callers = new WeakMap<ToolSession, Described>();

/** Remembers who calls the tools that are made for this session: sub-agents are made like it. */
export function rememberCaller(session: ToolSession, parts: Described): void {
  callers.set(session, parts);
}

/** Returns the agent that calls the tools of this session now; `undefined` unless it is an agent of this package. */
export function callerOf(session: ToolSession): Described | undefined {
  return callers.get(session);
}
