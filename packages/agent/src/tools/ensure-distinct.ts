import { AgentError } from '../agent/agent-error.ts';

/** Throws {@link AgentError} `DUPLICATE_TOOL` that names the tool. */
export function ensureDistinct(tools: readonly { readonly name: string }[]): void {
  const names = new Set<string>();
  for (const { name } of tools) {
    if (names.has(name)) throw new AgentError('DUPLICATE_TOOL', `two tools are named ${JSON.stringify(name)}`);
    names.add(name);
  }
}
