import { clientToolIssues, isReservedToolName } from '@conv/core/tool';
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

/** Refuses tools that a conversation could not have: by the rules of core, or because of their names. */
export function refuseWrongTools(tools: readonly unknown[], context: z.RefinementCtx): void {
  const names = new Set<unknown>();
  for (const [index, tool] of tools.entries()) {
    for (const { path, message } of clientToolIssues(tool))
      context.addIssue({ code: 'custom', path: [index, ...path], message, input: valueAt(tool, path) });
    const name = valueAt(tool, ['name']);
    const wrong = wrongName(name, names);
    if (wrong !== undefined) context.addIssue({ code: 'custom', path: [index, 'name'], message: wrong, input: name });
    names.add(name);
  }
}

function wrongName(name: unknown, taken: ReadonlySet<unknown>): string | undefined {
  if (isReservedToolName(name))
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
