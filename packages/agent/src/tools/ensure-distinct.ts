import { toolSchemas } from '@conv/core/tool';
import { AgentError } from '../base/agent-error.ts';

/** Throws {@link AgentError} `DUPLICATE_TOOL` for a tool with the name of a built-in tool, even of one left out. */
export function ensureFree(tools: readonly { readonly name: string }[]): void {
  const taken = tools.find(({ name }) => toolSchemas.isReservedName(name));
  if (taken === undefined) return;
  const name = JSON.stringify(taken.name);
  throw new AgentError(
    'DUPLICATE_TOOL',
    `the name ${name} is reserved for the built-in tool; give this tool another name`,
  );
}

/** Throws {@link AgentError} `DUPLICATE_TOOL` that names the tool. */
export function ensureDistinct(tools: readonly { readonly name: string }[]): void {
  const names = new Set<string>();
  for (const { name } of tools) {
    if (names.has(name))
      throw new AgentError('DUPLICATE_TOOL', `two tools are named ${JSON.stringify(name)}; rename one of them`);
    names.add(name);
  }
}
