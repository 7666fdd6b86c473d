import { AgentError } from '../base/agent-error.ts';

/** Milliseconds that a call may take: for all tools, or for each by its name. */
export type ToolTimeout = number | Readonly<Record<string, number>>;

/**
 * Returns a valid limit: milliseconds above 0, `Infinity` included, or `undefined` for none. Throws {@link AgentError}
 * `INVALID_OPTION` otherwise, because a timer would take any other value for the shortest limit.
 */
export function checkedToolTimeout(limit: ToolTimeout | undefined): ToolTimeout | undefined {
  if (limit === undefined) return undefined;
  if (typeof limit !== 'object' || limit === null || Array.isArray(limit)) {
    check('toolTimeout', limit);
    return limit;
  }
  for (const [name, own] of Object.entries(limit)) check(`toolTimeout of ${JSON.stringify(name)}`, own);
  return { ...limit };
}

function check(name: string, limit: unknown): void {
  if (typeof limit === 'number' && limit > 0) return;
  const given = typeof limit === 'number' ? String(limit) : `a ${limit === null ? 'null' : typeof limit}`;
  throw new AgentError('INVALID_OPTION', `${name}: expected milliseconds above 0, found ${given}`);
}

/** Throws {@link AgentError} `INVALID_OPTION` for a limit of a tool that the agent does not have. */
export function checkTimedTools(limit: ToolTimeout | undefined, tools: readonly { readonly name: string }[]): void {
  if (typeof limit !== 'object') return;
  const names = tools.map(({ name }) => name);
  const unknown = Object.keys(limit).find((name) => !names.includes(name));
  if (unknown === undefined) return;
  throw new AgentError(
    'INVALID_OPTION',
    `toolTimeout names a tool that the agent does not have: ${JSON.stringify(unknown)}; its tools: ${names.join(', ')}`,
  );
}

/** The time limit of a call, and its owner. */
export interface CallLimit {
  readonly milliseconds: number;
  readonly owner: 'agent' | 'conversation';
}

/** Returns the shorter of the limits of the agent and the conversation. */
export function limitOf(
  toolName: string,
  own: ToolTimeout | undefined,
  conversation: number | undefined,
): CallLimit | undefined {
  const agent = typeof own === 'object' ? (Object.hasOwn(own, toolName) ? own[toolName] : undefined) : own;
  if (conversation !== undefined && conversation < (agent ?? Infinity)) {
    return { milliseconds: conversation, owner: 'conversation' };
  }
  return agent === undefined ? undefined : { milliseconds: agent, owner: 'agent' };
}
