import type { z } from 'zod';

import { checkToolName } from './tool-name.ts';
import { toInputSchema } from './input-schema.ts';
import { mcpWire, type ToolDescription } from './mcp-wire.ts';
import { checkOptionNames, type OptionNames } from '../options/check-option-names.ts';
import { parseInput } from './parse-input.ts';
import { ToolError } from './tool-error.ts';
import type { Tool, ToolAnnotations, ToolContent, ToolContext, ToolResult, ToolWire } from './tool.ts';

/**
 * What `execute` may return. With an output schema: a value that the schema accepts. Without one: text, content parts or
 * a whole result. A failure that the model should read about is a thrown {@link ToolError} `FAILED`.
 */
export type ToolReturn<Output> = [Output] extends [never] ? string | readonly ToolContent[] | ToolResult : Output;

/** The pieces of a tool. */
export interface ToolDefinition<Input extends z.ZodObject, Output extends z.ZodType> {
  /** What the model calls it by: `[a-zA-Z0-9_-]{1,64}`. */
  readonly name: string;
  /** What it does and when to use it, for the model. */
  readonly description: string;
  /**
   * The arguments. Descriptions in the schema reach the model, and so do messages of refinements. Unknown arguments are
   * refused, `null` for an argument that may be left out counts as left out. What the schema yields must be JSON and is
   * what events keep, so transformations belong into `execute`.
   */
  readonly input: Input;
  /** The result. When given, `execute` must return it; the model reads it as JSON unless `render` says otherwise. */
  readonly output?: Output;
  readonly annotations?: ToolAnnotations;
  /** See {@link Tool.resources}. Default: not declared. */
  readonly resources?: (input: z.output<Input>) => readonly string[];
  /** Turns an output into what the model reads. Default: strings as they are, other values as JSON. */
  readonly render?: (output: z.output<Output>) => string | readonly ToolContent[];
  /** Event kinds other than MCP's, for tools that the wire has kinds for. */
  readonly wire?: (tool: ToolDescription) => ToolWire;
  /** Runs one call. Not called when the signal is aborted already. */
  readonly execute: (
    input: z.output<Input>,
    context: ToolContext,
  ) => ToolReturn<z.input<Output>> | Promise<ToolReturn<z.input<Output>>>;
  /** See {@link Tool.close}. */
  readonly close?: () => Promise<void>;
}

const NAMES: OptionNames<ToolDefinition<z.ZodObject, z.ZodType>> = {
  name: true,
  description: true,
  input: true,
  output: true,
  annotations: true,
  resources: true,
  render: true,
  wire: true,
  execute: true,
  close: true,
};

/**
 * Defines a tool from zod schemas and a function. Throws {@link ToolError} `INVALID_DEFINITION` for a bad name or an input
 * schema that JSON Schema cannot say.
 *
 * @example
 * ```ts
 * import { defineTool } from '@conv/core/tool';
 * import type { z } from 'zod';
 *
 * export const dice = defineTool({
 *   name: 'roll_dice',
 *   description: 'Rolls a number of dice and returns what they show.',
 *   input: z.object({ count: z.number().int().min(1).max(10) }),
 *   output: z.array(z.number()),
 *   annotations: { readOnly: true },
 *   execute: ({ count }) => Array.from({ length: count }, () => 1 + Math.floor(Math.random() * 6)),
 * });
 * ```
 */
export function defineTool<Input extends z.ZodObject, Output extends z.ZodType = z.ZodNever>(
  definition: ToolDefinition<Input, Output>,
): Tool {
  checkOptionNames('defineTool', definition, NAMES, (message) => new ToolError('INVALID_DEFINITION', message));
  const { name, description, annotations = {}, resources, close } = definition;
  checkToolName(name);
  const about = { name, description, annotations, inputSchema: toInputSchema(name, definition.input) };
  const schema = definition.input.def.catchall ? definition.input : definition.input.strict();
  return {
    ...about,
    wire: definition.wire?.(about) ?? mcpWire(about),
    parse: (input) => parseInput(name, schema, input),
    // a tool that changes nothing is in the way of no other call
    resources: resources
      ? (input) => resources(input as z.output<Input>)
      : () => (annotations.readOnly ? [] : undefined),
    execute: async (input, context) => {
      context.signal.throwIfAborted();
      return toResult(definition, await definition.execute(input as z.output<Input>, context));
    },
    ...(close ? { close } : {}),
  };
}

function toResult<Input extends z.ZodObject, Output extends z.ZodType>(
  definition: ToolDefinition<Input, Output>,
  returned: unknown,
): ToolResult {
  const { name, output, render } = definition;
  if (!output) return fromFreeForm(name, returned);
  const parsed = output.safeParse(returned);
  if (!parsed.success)
    throw new ToolError('INVALID_OUTPUT', `tool '${name}' returned an invalid result`, { cause: parsed.error });
  const rendered = render ? render(parsed.data) : asText(parsed.data);
  return { content: typeof rendered === 'string' ? text(rendered) : rendered };
}

function fromFreeForm(name: string, returned: unknown): ToolResult {
  if (returned === undefined) return { content: [] };
  if (typeof returned === 'string') return { content: text(returned) };
  if (isContent(returned)) return { content: returned };
  if (typeof returned === 'object' && returned !== null && 'content' in returned && isContent(returned.content))
    return returned as ToolResult;
  throw new ToolError('INVALID_OUTPUT', `tool '${name}' returned neither text nor content; give it an output schema`);
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

function isContent(value: unknown): value is readonly ToolContent[] {
  return Array.isArray(value) && value.every(isContentPart);
}

function isContentPart(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return (
    ('text' in value && typeof value.text === 'string') || ('image_urls' in value && Array.isArray(value.image_urls))
  );
}

/** One text part, as the wire writes it. */
export function text(value: string): readonly ToolContent[] {
  return [{ cache_prompt: false, type: 'text', text: value }];
}
