import type { ContentPart } from '../../events/index.ts';
import { isObject } from '../../platform/json.ts';
import { checkToolName } from './tool-name.ts';
import { isOpen, toInputSchema } from './input-schema.ts';
import { mcpWire } from './mcp-wire.ts';
import { checkOptionNames, describeValue, type OptionNames } from '../settings-input/check-option-names.ts';
import { parseInput } from './parse-input.ts';
import { invalidDefinition, ToolError } from '../errors/tool-error.ts';
import { isZod4, runSchema, wrongSchema, type SchemaInput, type SchemaOutput, type ToolSchema } from './tool-schema.ts';
import type { ToolAnnotations, ToolContext, ToolResult, Tool, TypedTool } from './tool.ts';

/**
 * The return value of `execute`. With an output schema: a value that the schema accepts. Without an output schema: text,
 * content parts or a whole result. A failure that the model should read about is a thrown {@link ToolError} `FAILED`.
 */
export type ToolReturn<Output> = [Output] extends [never] ? string | readonly ContentPart[] | ToolResult : Output;

/** The pieces of a tool. */
export interface ToolDefinition<Input extends ToolSchema<object>, Output extends ToolSchema> {
  /** The name that the model uses: `[a-zA-Z0-9_-]{1,64}`. */
  readonly name: string;
  /** The purpose of the tool and when to use it, for the model. */
  readonly description: string;
  /**
   * The schema of the arguments. Its descriptions reach the model, and so do messages of its refinements. Unknown arguments are
   * refused; `null` for an optional argument counts as left out. The result of the schema must be JSON, because events keep it,
   * so transformations belong into `execute`. Takes schemas of zod 4 and of every library that implements Standard Schema with
   * JSON Schema; asynchronous schemas are refused.
   */
  readonly input: Input;
  /** The schema of the result. If set, `execute` must return such a value; the model reads it as JSON unless `render` says otherwise. */
  readonly output?: Output;
  readonly annotations?: ToolAnnotations;
  /** See {@link Tool.resources}. Default: not declared. */
  readonly resources?: (input: SchemaOutput<Input>) => readonly string[];
  /** Turns an output into the content that the model reads. Default: strings as they are, other values as JSON. */
  readonly render?: (output: SchemaOutput<Output>) => string | readonly ContentPart[];
  /** Event kinds other than MCP's, for tools with kinds of their own on the wire. */
  readonly wire?: (tool: Pick<Tool, 'name' | 'description' | 'annotations' | 'inputSchema'>) => Tool['wire'];
  /** Runs one call. Not called when the signal is aborted already. */
  readonly execute: (
    input: SchemaOutput<Input>,
    context: ToolContext,
  ) => ToolReturn<SchemaInput<Output>> | Promise<ToolReturn<SchemaInput<Output>>>;
  /** See {@link Tool.close}. */
  readonly close?: () => Promise<void>;
}

const NAMES: OptionNames<ToolDefinition<ToolSchema<object>, ToolSchema>> = {
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

const ANNOTATIONS: OptionNames<ToolAnnotations> = {
  title: true,
  readOnly: true,
  destructive: true,
  idempotent: true,
  openWorld: true,
};

/**
 * Defines a tool from schemas and a function. Throws {@link ToolError} `INVALID_DEFINITION` for a bad name or an input
 * schema that JSON Schema cannot express.
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
export function defineTool<
  Input extends ToolSchema<object>,
  // without an output schema
  Output extends ToolSchema = ToolSchema<never> & {
    readonly '~standard': { readonly types?: { readonly input: never; readonly output: never } | undefined };
  },
>(definition: ToolDefinition<Input, Output>): TypedTool<SchemaOutput<Input>> {
  checkOptionNames('defineTool', definition, NAMES, invalidDefinition);
  const { name, description, annotations = {}, resources, close } = definition;
  checkToolName(name);
  const json = toInputSchema(name, definition.input);
  checkParts(definition);
  const about = { name, description, annotations, inputSchema: json };
  const input = { schema: closed(definition.input), json };
  return {
    ...about,
    wire: definition.wire?.(about) ?? mcpWire(about),
    parse: (given) => parseInput(name, input, given),
    // a tool that changes nothing blocks no other call
    resources: resources
      ? (given) => resources(given as SchemaOutput<Input>)
      : () => (annotations.readOnly ? [] : undefined),
    execute: async (given, context) => {
      context.signal.throwIfAborted();
      return toResult(definition, await definition.execute(given as SchemaOutput<Input>, context));
    },
    ...(close ? { close } : {}),
  };
}

function checkParts(definition: Partial<Record<keyof ToolDefinition<never, never>, unknown>>): void {
  const { name, description, output, execute, annotations } = definition;
  const fail = (part: string, expected: string): ToolError =>
    invalidDefinition(`${part} of tool ${String(name)}: ${expected}`);
  if (typeof description !== 'string')
    throw fail('description', `expected text for the model, found ${describeValue(description)}`);
  if (typeof execute !== 'function')
    throw fail('execute', `expected a function of the input and the context, found ${describeValue(execute)}`);
  if (annotations !== undefined)
    checkOptionNames(`annotations of tool ${String(name)}`, annotations, ANNOTATIONS, invalidDefinition);
  const wrong = output === undefined ? undefined : wrongSchema(output);
  if (wrong !== undefined) throw fail('output', wrong);
}

/** Closes a zod object, which otherwise drops unknown arguments silently, so that it refuses them. */
function closed(schema: ToolSchema): ToolSchema {
  const isClosable = isZod4(schema) && !isOpen(schema) && 'strict' in schema && typeof schema.strict === 'function';
  return isClosable ? (schema.strict as () => ToolSchema).call(schema) : schema;
}

function toResult<Input extends ToolSchema<object>, Output extends ToolSchema>(
  definition: ToolDefinition<Input, Output>,
  returned: unknown,
): ToolResult {
  const { name, output, render } = definition;
  if (!output) return fromFreeForm(name, returned);
  const parsed = runSchema(output, returned);
  if (parsed.issues !== undefined)
    throw new ToolError('INVALID_OUTPUT', `tool '${name}' returned what its schema refuses`, { cause: parsed.issues });
  const rendered = render ? render(parsed.value as SchemaOutput<Output>) : asText(parsed.value);
  return { content: typeof rendered === 'string' ? text(rendered) : rendered };
}

function fromFreeForm(name: string, returned: unknown): ToolResult {
  if (returned === undefined) return { content: [] };
  if (typeof returned === 'string') return { content: text(returned) };
  if (isContent(returned)) return { content: returned };
  if (isObject(returned) && isContent(returned['content'])) return returned as unknown as ToolResult;
  throw new ToolError('INVALID_OUTPUT', `tool '${name}' returned neither text nor content; give it an output schema`);
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

function isContent(value: unknown): value is readonly ContentPart[] {
  return Array.isArray(value) && value.every(isContentPart);
}

function isContentPart(value: unknown): boolean {
  return isObject(value) && (typeof value['text'] === 'string' || Array.isArray(value['image_urls']));
}

/** Returns a single text part, as the wire writes it. */
export function text(value: string): readonly ContentPart[] {
  return [{ cache_prompt: false, type: 'text', text: value }];
}
