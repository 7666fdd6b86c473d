import { isToolError, toolSchemas, type ClientToolSpec as CoreSpec } from '@conv/core/tool';
import { clientToolIssues, oversizedClientTools, parseClientTool } from '../client-tools/client-tool-spec.ts';
import { clientTool } from '../client-tools/client-tool.ts';
import { z } from 'zod';
import { absent, boolean, jsonObject, keptAs } from '../schema/index.ts';

/** Hints about what a tool does. */
const toolHintsSchema = keptAs('openhands__sdk__tool__tool__ToolAnnotations', {
  destructiveHint: absent(boolean(), true),
  idempotentHint: absent(boolean(), false),
  openWorldHint: absent(boolean(), true),
  readOnlyHint: absent(boolean(), false),
  title: absent(z.nullable(z.string())),
});

export const clientToolSpecSchema = keptAs('ClientToolSpec', {
  annotations: absent(z.nullable(toolHintsSchema)),
  description: z.string(),
  name: z.string(),
  parameters: absent(jsonObject),
});

/** A tool that the client runs. */
export type ClientToolSpec = z.output<typeof clientToolSpecSchema>;

/** Refuses tools that a conversation could not have: by the rules of core, because of their names, or of their size together. */
export function refuseWrongTools(tools: readonly unknown[], context: z.RefinementCtx): void {
  const names = new Set<unknown>();
  let areRight = true;
  const refuse = (path: readonly PropertyKey[], message: string): void => {
    areRight = false;
    context.addIssue({ code: 'custom', path: [...path], message, input: valueAt(tools, path) });
  };
  for (const [index, tool] of tools.entries()) {
    const issues = clientToolIssues(tool);
    for (const { path, message } of issues) refuse([index, ...path], message);
    const name = valueAt(tool, ['name']);
    const wrong = wrongName(name, names);
    if (wrong !== undefined) refuse([index, 'name'], wrong);
    names.add(name);
    if (issues.length > 0 || wrong !== undefined) continue;
    const found = wrongMember(parseClientTool(tool));
    if (found) refuse([index, found.member], found.message);
  }
  const oversized = areRight ? oversizedClientTools(tools.map(parseClientTool)) : undefined;
  if (oversized !== undefined) refuse([], oversized);
}

/** Returns the member of a spec that no tool can be made with, and its error. */
function wrongMember(spec: CoreSpec): { readonly member: string; readonly message: string } | undefined {
  const inName = definitionError({ ...spec, parameters: { type: 'object' } });
  if (inName !== undefined) return { member: 'name', message: inName };
  const inParameters = definitionError(spec);
  return inParameters === undefined ? undefined : { member: 'parameters', message: inParameters };
}

function definitionError(spec: CoreSpec): string | undefined {
  try {
    clientTool(spec);
    return undefined;
  } catch (error) {
    if (!isToolError(error)) throw error;
    return error.message;
  }
}

function wrongName(name: unknown, taken: ReadonlySet<unknown>): string | undefined {
  if (toolSchemas.isReservedName(name))
    return `tool name ${JSON.stringify(name)} is reserved for the built-in tool; give this tool another name`;
  if (taken.has(name)) return `there is another tool ${JSON.stringify(name)}; give this tool another name`;
  return undefined;
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce(
    (at: unknown, name) => (typeof at === 'object' && at !== null ? Reflect.get(at, name) : at),
    value,
  );
}
