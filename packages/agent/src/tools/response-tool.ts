import type { JsonObject, Json } from '@conv/core/events';
import { isObject } from '@conv/core/platform';
import { toolSchemas, toolWires, defineTool, isToolError, text, type Tool, type ToolSchema } from '@conv/core/tool';
import { z } from 'zod';
import { AgentError, type AgentErrorCode } from '../base/agent-error.ts';
import { parseJson } from '../base/json.ts';
import { finishTool } from './built-in-tools.ts';
import { checkBounds } from './schema-bounds.ts';

/** The schema of an agent's answer: a schema as tools take it, or a JSON Schema of an object. */
export type ResponseSchema = ToolSchema<object> | JsonObject;

/** The finish tool of an agent whose answer is an object. */
export interface ResponseTool {
  /** The JSON Schema of the object. */
  readonly schema: JsonObject;
  readonly tool: Tool;
}

const DESCRIPTION = `Call this once the task is done: its arguments are your answer, which a program reads.
Fill in what you have found out yourself; do not guess. A text beside it is no answer.`;

/**
 * Creates a finish tool whose arguments are the answer. The wire's action has only a message: the object stands in it
 * as JSON text. Throws {@link AgentError} `code` if `given` is no schema of an object.
 */
export function responseTool(given: ResponseSchema, code: AgentErrorCode, option: string): ResponseTool {
  try {
    const tool = defineTool({
      name: finishTool.name,
      description: DESCRIPTION,
      input: toolSchemas.is(given) ? (given as ToolSchema<object>) : toZod(given),
      annotations: finishTool.annotations,
      wire: (about) => ({
        ...toolWires.native(about, {
          definition: 'FinishTool',
          action: 'FinishAction',
          observation: 'FinishObservation',
        }),
        toAction: (input) => ({ message: JSON.stringify(input), kind: 'FinishAction' }),
        fromAction: ({ message = null }) => objectIn(message) ?? message,
      }),
      execute: (input) => text(JSON.stringify(input)),
    });
    // A given JSON Schema is kept as it is: it holds members that cannot be read back from the tool, such as titles.
    const schema = toolSchemas.is(given) ? tool.inputSchema : given;
    return { schema, tool: { ...tool, inputSchema: schema } };
  } catch (cause) {
    const reason =
      isToolError(cause) && cause.cause instanceof Error ? cause.cause.message : String(Object(cause).message);
    throw new AgentError(code, `${option} is not a schema of a JSON object: ${reason}`, { cause });
  }
}

/** Parses a message as JSON; `undefined` if it is not JSON, which the schema then refuses. */
function objectIn(message: Json): Json | undefined {
  return typeof message === 'string' ? (parseJson(message) as Json | undefined) : undefined;
}

/** Makes the zod schema of a JSON Schema. Throws if it is of no object, or too large or too deep for a model. */
function toZod(schema: JsonObject): z.ZodObject {
  if (isObject(schema)) checkBounds(schema);
  const made = isObject(schema) ? z.fromJSONSchema(schema as z.core.JSONSchema.JSONSchema) : undefined;
  if (made instanceof z.ZodObject) return made;
  throw new TypeError('it must have the type "object" and name its properties');
}
