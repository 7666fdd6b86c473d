import type { Client } from '@modelcontextprotocol/client';
import type { JsonObject } from '@conv/core/tool';
import { z } from 'zod';

import { ServerFault } from './server-fault.ts';

/** The list of a server: the tools that can be read, and the faults of the other entries. */
export interface ToolList {
  readonly tools: readonly ListedTool[];
  readonly faults: readonly string[];
}

const MOST_PAGES = 64;

const toolSchema = z.object({
  name: z.string().min(1),
  title: z.string().optional(),
  description: z.string().optional(),
  inputSchema: z.looseObject({ type: z.literal('object').default('object') }),
  /** Hints of a server about its tool; they may be wrong. */
  annotations: z
    .object({
      title: z.string().optional(),
      readOnlyHint: z.boolean().optional(),
      destructiveHint: z.boolean().optional(),
      idempotentHint: z.boolean().optional(),
      openWorldHint: z.boolean().optional(),
    })
    .optional(),
  /** `required` if the tool runs as a task alone, `optional` if it can. */
  execution: z.looseObject({ taskSupport: z.string().optional() }).optional().catch(undefined),
});

/** A tool as its server describes it. */
export type ListedTool = Readonly<Omit<z.infer<typeof toolSchema>, 'inputSchema'>> & {
  readonly inputSchema: JsonObject;
};

// each tool is parsed by itself, so that a wrong description does not cost the other tools
const pageSchema = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().optional() });

/** Asks for all pages of the list. Rejects with the client's errors, and for a list of more than 64 pages. */
export async function listTools(client: Client, options: { signal: AbortSignal; timeout: number }): Promise<ToolList> {
  if (!client.getServerCapabilities()?.tools) return { tools: [], faults: [] };
  const listed: unknown[] = [];
  let cursor: string | undefined;
  for (let pages = 0; pages < MOST_PAGES; pages++) {
    const params = cursor === undefined ? {} : { cursor };
    const page = await client.request({ method: 'tools/list', params }, pageSchema, options);
    listed.push(...page.tools);
    if (page.nextCursor === undefined || page.nextCursor === cursor) return sortOut(listed);
    cursor = page.nextCursor;
  }
  throw new ServerFault('refused', `its list of tools has more than ${MOST_PAGES} pages`);
}

function sortOut(listed: readonly unknown[]): ToolList {
  const tools = new Map<string, ListedTool>();
  const faults: string[] = [];
  for (const [index, item] of listed.entries()) {
    const tool = toolSchema.safeParse(item);
    if (!tool.success) faults.push(`its tool number ${index + 1} is described wrongly (${whereWrong(tool.error)})`);
    else if (tools.has(tool.data.name)) faults.push(`it has two tools named ${tool.data.name}`);
    else tools.set(tool.data.name, tool.data as ListedTool);
  }
  return { tools: [...tools.values()], faults };
}

function whereWrong({ issues }: z.ZodError): string {
  return [...new Set(issues.map(({ path }) => path.join('.') || 'as a whole'))].join(', ');
}

/**
 * Returns the tool with `hide` applied to its texts for people and models; members that programs read stay as they are.
 */
export function withoutValues(tool: ListedTool, hide: (text: string) => string): ListedTool {
  const { title, description, annotations } = tool;
  return {
    ...tool,
    inputSchema: hideWords(tool.inputSchema, hide) as JsonObject,
    title: title && hide(title),
    description: description && hide(description),
    annotations: annotations && { ...annotations, title: annotations.title && hide(annotations.title) },
  };
}

function hideWords(schema: unknown, hide: (text: string) => string): unknown {
  if (Array.isArray(schema)) return schema.map((item) => hideWords(item, hide));
  if (typeof schema !== 'object' || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) =>
      typeof value === 'string' && (key === 'description' || key === 'title')
        ? [key, hide(value)]
        : [key, hideWords(value, hide)],
    ),
  );
}
