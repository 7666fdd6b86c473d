import { AgentError } from './agent-error.ts';

/**
 * The limit, when it is one: milliseconds above 0, `Infinity` included, or `undefined` for none. Throws {@link AgentError}
 * `INVALID_OPTION` otherwise, because a timer would take what is no such number for the shortest limit there is.
 */
export function checkedToolTimeout(limit: number | undefined): number | undefined {
  if (limit === undefined || (typeof limit === 'number' && limit > 0)) return limit;
  const given = typeof limit === 'number' ? String(limit) : `a ${typeof limit}`;
  throw new AgentError('INVALID_OPTION', `toolTimeout must be milliseconds above 0, got ${given}`);
}
