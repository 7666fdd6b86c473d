import { z } from 'zod';

import type { Json, JsonObject } from '../json.ts';
import { mcpWire } from './mcp-wire.ts';
import { ToolError } from './tool-error.ts';
import type { Tool, ToolAnnotations, ToolContent, ToolContext, ToolResult, ToolWire } from './tool.ts';

const NAME = /^[a-zA-Z0-9_-]{1,64}$/;

/** What `execute` may return: text, content parts, a whole result, or a value of the output schema. */
export type ToolReturn<Output> = string | readonly ToolContent[] | ToolResult | Output;

/** The pieces of a tool. */
export interface ToolDefinition<Input extends z.ZodObject, Output extends z.ZodType> {
  /** What the model calls it by: `[a-zA-Z0-9_-]{1,64}`. */
  readonly name: string;
  /** What it does and when to use it, for the model. */
  readonly description: string;
  /** The arguments. Descriptions in the schema reach the model. */
  readonly input: Input;
  /** The result. When given, `execute` must return it; the model reads it as JSON unless `render` says otherwise. */
  readonly output?: Output;
  readonly annotations?: ToolAnnotations;
  /** See {@link Tool.resources}. Default: not declared. */
  readonly resources?: (input: z.output<Input>) => readonly string[];
  /** Turns an output into what the model reads. Default: strings as they are, other values as JSON. */
  readonly render?: (output: z.output<Output>) => string | readonly ToolContent[];
  /** Event kinds other than MCP's, for tools that `protocol/events.md` §5 names. */
  readonly wire?: (tool: { name: string; description: string; annotations: ToolAnnotations; inputSchema: JsonObject }) => ToolWire;
  readonly execute: (
    input: z.output<Input>,
    context: ToolContext,
  ) => ToolReturn<z.output<Output>> | Promise<ToolReturn<z.output<Output>>>;
  readonly close?: () => Promise<void>;
}

/**
 * Defines a tool from zod schemas and a function. Throws {@link ToolError} `INVALID_DEFINITION` for a bad name or an input
 * schema that JSON Schema cannot say.
 *
 * @example
 * ```ts
 * import { defineTool } from '@conv/core/tool';
 * import { z } from 'zod';
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
  const { name, description, annotations = {}, resources, close } = definition;
  if (!NAME.test(name)) throw new ToolError('INVALID_DEFINITION', `tool name ${JSON.stringify(name)} does not match ${NAME.source}`);
  const inputSchema = toJsonSchema(name, definition.input);
  const about = { name, description, annotations, inputSchema };
  return {
    ...about,
    wire: definition.wire?.(about) ?? mcpWire(about),
    parse: (input) => parseInput(name, definition.input, input),
    resources: (input) => resources?.(input as z.output<Input>),
    execute: async (input, context) => toResult(definition, await definition.execute(input as z.output<Input>, context)),
    ...(close ? { close } : {}),
  };
}

function toJsonSchema(name: string, schema: z.ZodType): JsonObject {
  try {
    const { $schema: _, ...json } = z.toJSONSchema(schema, { io: 'input', reused: 'inline' });
    return json as JsonObject;
  } catch (cause) {
    throw new ToolError('INVALID_DEFINITION', `input of tool ${name} has no JSON Schema`, { cause });
  }
}

function parseInput(name: string, schema: z.ZodType, input: unknown): Json {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data as Json;
  const wrong = parsed.error.issues.map((issue) => `${issue.path.join('.') || '(arguments)'}: ${describeIssue(issue)}`);
  // zod's own messages may quote values, and values may be secrets
  throw new ToolError('INVALID_INPUT', `Invalid arguments for tool '${name}': ${wrong.join('; ')}`, { cause: parsed.error });
}

function describeIssue(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type') return issue.input === undefined ? 'is required' : `must be ${issue.expected}`;
  if (issue.code === 'unrecognized_keys') return `unknown ${issue.keys.join(', ')}`;
  if (issue.code === 'too_small') return `must be at least ${String(issue.minimum)}`;
  if (issue.code === 'too_big') return `must be at most ${String(issue.maximum)}`;
  if (issue.code === 'invalid_value') return `must be one of ${issue.values.map(String).join(', ')}`;
  return issue.code.replaceAll('_', ' ');
}

function toResult<Input extends z.ZodObject, Output extends z.ZodType>(
  definition: ToolDefinition<Input, Output>,
  returned: ToolReturn<z.output<Output>>,
): ToolResult {
  const { name, output, render } = definition;
  if (!output) return asResult(returned, (value) => text(typeof value === 'string' ? value : JSON.stringify(value)));
  const parsed = output.safeParse(returned);
  if (!parsed.success) throw new ToolError('INVALID_OUTPUT', `tool '${name}' returned an invalid result`, { cause: parsed.error });
  const rendered = render ? render(parsed.data) : typeof parsed.data === 'string' ? parsed.data : JSON.stringify(parsed.data);
  return asResult(rendered, (value) => text(String(value)));
}

function asResult(value: unknown, otherwise: (value: unknown) => readonly ToolContent[]): ToolResult {
  if (Array.isArray(value) && value.every(isContent)) return { content: value };
  if (typeof value === 'object' && value !== null && 'content' in value && Array.isArray(value.content)) return value as ToolResult;
  return { content: value === undefined ? [] : otherwise(value) };
}

function isContent(value: unknown): value is ToolContent {
  return typeof value === 'object' && value !== null && 'type' in value && (value.type === 'text' || value.type === 'image');
}

/** One text part, as the wire writes it. */
export function text(value: string): readonly ToolContent[] {
  return [{ cache_prompt: false, type: 'text', text: value }];
}
