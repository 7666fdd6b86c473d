import { createContext, Script } from 'node:vm';
import { AgentError, type AgentErrorCode } from '../base/agent-error.ts';
import { ProcessorBudget } from '../base/processor-budget.ts';
import { patternFlags, readablePattern } from '../base/python-pattern.ts';

/** The wire's name for the pattern of the names of tools that are offered. */
export const TOOL_FILTER = 'filter_tools_regex';

export type ToolFilter = <T extends { readonly name: string }>(tools: readonly T[]) => readonly T[];

/** Milliseconds of processor time that the pattern may take for one list. */
const LIMIT = 1000;

const MATCH = new Script('names.filter((name) => new RegExp(source, flags).test(name))');

/**
 * Returns the filter of a description: names that match its pattern from their first character on, as in Python. A pattern may come
 * from outside and run forever, so nothing matches if it takes a second of processor time. Throws {@link AgentError} of this code when it is no pattern.
 */
export function toolFilterOf(pattern: unknown, code: AgentErrorCode): ToolFilter {
  if (pattern === undefined || pattern === null || pattern === '') return (tools) => tools;
  const source = typeof pattern === 'string' ? readablePattern(pattern) : undefined;
  if (source === undefined || typeof pattern !== 'string')
    throw new AgentError(code, `${TOOL_FILTER}: expected a regular expression, found ${JSON.stringify(pattern)}`);
  const flags = `y${patternFlags(pattern)}`;
  return (tools) => {
    const matching = matches(
      tools.map(({ name }) => name),
      source,
      flags,
    );
    return tools.filter(({ name }) => matching.has(name));
  };
}

function matches(names: readonly string[], source: string, flags: string): ReadonlySet<string> {
  const found = new ProcessorBudget({ each: LIMIT }).run(MATCH, createContext({ names, source, flags }));
  return new Set(found?.value as readonly string[] | undefined);
}
