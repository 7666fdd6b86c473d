import type { JsonObject } from '@conv/core';
import type { ToolProvider, ToolSource } from '@conv/core/tool';
import { isToolProvider } from './is-tool-provider.ts';

/** Returns the definitions of the sub-agents of one tool, given the names of the tools of its agent. */
type Describe = (callerTools: readonly string[]) => readonly JsonObject[];

const described = new WeakMap<object, Describe>();

/** Stores the sub-agents of a tool for agents that work on a server. */
export function rememberSubAgents<Source extends ToolSource>(tool: Source, describe: Describe): Source {
  described.set(tool, describe);
  return tool;
}

/** Returns the definitions of the sub-agents that these tools give tasks to, each name once. Throws what describing them throws. */
export function sentSubAgents(tools: readonly (ToolSource | ToolProvider)[]): readonly JsonObject[] {
  const names = tools.flatMap((source) => (isToolProvider(source) ? [] : [source.name]));
  const found = new Map<unknown, JsonObject>();
  for (const definition of tools.flatMap((source) => described.get(source)?.(names) ?? []))
    if (!found.has(definition['name'])) found.set(definition['name'], definition);
  return [...found.values()];
}
