import { clientToolIssues } from '@conv/core/tool';
import { z } from 'zod';
import { absent } from '../schema/kept-member.ts';
import { named } from '../schema/named.ts';
import { kept } from '../schema/objects.ts';
import { boolean, jsonObject } from '../schema/scalars.ts';

/** Hints about what a tool does. */
const toolHintsSchema = named(
  'openhands__sdk__tool__tool__ToolAnnotations',
  kept({
    destructiveHint: absent(boolean(), true),
    idempotentHint: absent(boolean(), false),
    openWorldHint: absent(boolean(), true),
    readOnlyHint: absent(boolean(), false),
    title: absent(z.nullable(z.string())),
  }),
);

/** The schema of {@link ClientToolSpec}. */
export const clientToolSpecSchema = named(
  'ClientToolSpec',
  kept({
    annotations: absent(z.nullable(toolHintsSchema)),
    description: z.string(),
    name: z.string(),
    parameters: absent(jsonObject),
  }),
);

/** A tool that the client runs. */
export type ClientToolSpec = z.output<typeof clientToolSpecSchema>;

/** Refuses tools that a conversation could not have, by the rules of core. */
export function refuseWrongTools(tools: readonly unknown[], context: z.RefinementCtx): void {
  for (const [index, tool] of tools.entries())
    for (const { path, message } of clientToolIssues(tool))
      context.addIssue({ code: 'custom', path: [index, ...path], message, input: valueAt(tool, path) });
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce(
    (at: unknown, name) => (typeof at === 'object' && at !== null ? Reflect.get(at, name) : at),
    value,
  );
}
