import type { ToolSession } from '@conv/core/tool';
import type { Described } from './describe.ts';

const callers = new WeakMap<ToolSession, Described>();

/** Remembers who calls the tools that are made for this session: sub-agents are made like it. */
export function rememberCaller(session: ToolSession, parts: Described): void {
  callers.set(session, parts);
}

/** Who calls the tools of this session as it is now; `undefined` when no agent of this package does. */
export function callerOf(session: ToolSession): Described | undefined {
  return callers.get(session);
}
