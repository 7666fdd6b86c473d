import { checks } from '@conv/core';
import {
  text,
  ToolError,
  toolSchemas,
  toolWires,
  type ClientToolSpec,
  type JsonObject,
  type Tool,
  type ToolContext,
  type ToolResult,
} from '@conv/core/tool';
import { fromObjectSchema } from './object-schema.ts';

/** The protocol's text, by which clients recognise an acknowledgement. */
const DISPATCHED = 'Tool call dispatched to client.';

/**
 * Returns the tool of a spec, with the event kinds that the wire has for client tools. Its calls are checked against the schema
 * and executed by `answer`; by default they are acknowledged at once. They need no resources, so several may be open at the same
 * time. Throws {@link ToolError} `INVALID_DEFINITION` for a name that no model can call, or a property `kind`.
 */
export function clientTool(
  spec: ClientToolSpec,
  answer: (context: ToolContext, input: JsonObject) => Promise<ToolResult> = acknowledge,
): Tool {
  const { name, description, parameters, annotations } = spec;
  checks.toolName(name);
  const input = fromObjectSchema(parameters);
  if (Object.hasOwn(input.shape, 'kind'))
    throw new ToolError(
      'INVALID_DEFINITION',
      `tool ${name}: a parameter cannot be named "kind", which says what an action is; give it another name`,
    );
  return {
    name,
    description,
    annotations: annotationsOf(annotations),
    inputSchema: parameters,
    wire: clientWire(spec),
    parse: (given) => toolSchemas.parseInput(name, { schema: input, json: parameters }, given),
    resources: () => [],
    execute: async (given, context) => {
      context.signal.throwIfAborted();
      return answer(context, given as JsonObject);
    },
  };
}

async function acknowledge(): Promise<ToolResult> {
  return { content: text(DISPATCHED) };
}

function annotationsOf(hints: ClientToolSpec['annotations'] = {}): Tool['annotations'] {
  const { title, readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = hints;
  return {
    ...(title ? { title } : {}),
    ...(readOnlyHint === undefined ? {} : { readOnly: readOnlyHint }),
    ...(destructiveHint === undefined ? {} : { destructive: destructiveHint }),
    ...(idempotentHint === undefined ? {} : { idempotent: idempotentHint }),
    ...(openWorldHint === undefined ? {} : { openWorld: openWorldHint }),
  };
}

function clientWire({ name, description, parameters, annotations }: ClientToolSpec): Tool['wire'] {
  const kinds = { definition: 'ClientTool', action: `ClientAction_${name}`, observation: 'ClientToolObservation' };
  return {
    ...toolWires.native({ name, description, annotations: {}, inputSchema: parameters }, kinds),
    definition: {
      description,
      action_type: kinds.action,
      observation_type: kinds.observation,
      ...(annotations ? { annotations: { ...annotations } as JsonObject } : {}),
      client_tool_name: name,
      input_schema: parameters,
      kind: kinds.definition,
      title: annotations?.title ?? name,
    },
  };
}
