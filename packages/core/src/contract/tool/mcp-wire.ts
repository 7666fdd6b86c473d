import type { JsonObject } from '../../platform/json.ts';
import type { ToolAnnotations, ToolWire } from './tool.ts';

/** The parts of a tool that its wire form is made from. */
export interface ToolDescription {
  readonly name: string;
  readonly description: string;
  readonly annotations: ToolAnnotations;
  readonly inputSchema: JsonObject;
}

/** Returns the tool as an MCP tool, the only kind that every client of the protocol reads without knowing the tool. */
export function mcpWire(tool: ToolDescription): ToolWire {
  const annotations = toWireAnnotations(tool.name, tool.annotations);
  return {
    definition: {
      description: tool.description,
      action_type: 'MCPToolAction',
      observation_type: 'MCPToolObservation',
      annotations,
      mcp_tool: { name: tool.name, description: tool.description, inputSchema: tool.inputSchema, annotations },
      kind: 'MCPToolDefinition',
      title: annotations['title'] ?? tool.name,
    },
    toAction: (input) => ({ data: input, kind: 'MCPToolAction' }),
    fromAction: (action) => action['data'] ?? {},
    toObservation: (result) => ({
      content: [
        { cache_prompt: false, type: 'text', text: `[Tool '${tool.name}' executed.]` },
        ...result.content,
      ] as never,
      is_error: result.isError ?? false,
      tool_name: tool.name,
      kind: 'MCPToolObservation',
    }),
  };
}

/** Returns the tool with an event kind of its own, taken from the wire: input members become members of the action. */
export function nativeWire(
  tool: ToolDescription,
  kinds: { definition: string; action: string; observation: string },
): ToolWire {
  const annotations = toWireAnnotations(tool.name, tool.annotations);
  return {
    definition: {
      description: tool.description,
      action_type: kinds.action,
      observation_type: kinds.observation,
      annotations,
      kind: kinds.definition,
      title: annotations['title'] ?? tool.name,
    },
    toAction: (input) => ({ ...withoutNulls(input as JsonObject), kind: kinds.action }),
    fromAction: (action) => Object.fromEntries(Object.entries(action).filter(([key]) => key !== 'kind')),
    toObservation: (result) => ({
      content: result.content as never,
      is_error: result.isError ?? false,
      ...result.fields,
      kind: kinds.observation,
    }),
  };
}

function withoutNulls(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null && value !== undefined));
}

function toWireAnnotations(name: string, annotations: ToolAnnotations): JsonObject {
  return {
    title: annotations.title ?? name,
    readOnlyHint: annotations.readOnly ?? false,
    destructiveHint: annotations.destructive ?? true,
    idempotentHint: annotations.idempotent ?? false,
    openWorldHint: annotations.openWorld ?? true,
  };
}
