import { AgentError, type AgentErrorCode } from '../base/agent-error.ts';

/** The member of the wire's descriptions for the number of calls that may run at the same time. */
export const TOOL_CONCURRENCY = 'tool_concurrency_limit';

/** Returns the number of calls at the same time, by default 1. Throws {@link AgentError} for no whole number. */
export function checkedToolConcurrency(limit: unknown, code: AgentErrorCode, name: string): number {
  if (limit === undefined) return 1;
  if (typeof limit === 'number' && Number.isSafeInteger(limit) && limit >= 1) return limit;
  const given = typeof limit === 'number' ? String(limit) : `a ${limit === null ? 'null' : typeof limit}`;
  throw new AgentError(code, `${name}: expected a whole number from 1, found ${given}`);
}
