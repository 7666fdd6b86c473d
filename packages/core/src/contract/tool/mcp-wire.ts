import type { JsonObject } from '../../platform/json.ts';
import type { Tool } from './tool.ts';

/** Returns the tool as an MCP tool, the only kind that every client of the protocol reads without knowing the tool. */
export function mcpWire(tool: Pick<Tool, 'name' | 'description' | 'annotations' | 'inputSchema'>): Tool['wire'] {
  const { name, description, inputSchema } = tool;
  const definition = definitionOf(tool, 'MCPToolAction', 'MCPToolObservation', 'MCPToolDefinition');
  return {
    definition: {
      ...definition,
      mcp_tool: { name, description, inputSchema, annotations: definition['annotations'] ?? {} },
    },
    toAction: (input) => ({ data: input, kind: 'MCPToolAction' }),
    fromAction: (action) => action['data'] ?? {},
    toObservation: (result) => ({
      content: [{ cache_prompt: false, type: 'text', text: `[Tool '${name}' executed.]` }, ...result.content] as never,
      is_error: result.isError ?? false,
      tool_name: name,
      kind: 'MCPToolObservation',
    }),
  };
}

/**
 * Returns the tool with an event kind of its own, taken from the wire: input members become members of the action. Readers treat an
 * omitted member as null.
 */
export function nativeWire(
  tool: Parameters<typeof mcpWire>[0],
  { definition, action, observation }: { definition: string; action: string; observation: string },
): Tool['wire'] {
  const without = (object: JsonObject, isLeftOut: (name: string, value: unknown) => boolean): JsonObject =>
    Object.fromEntries(Object.entries(object).filter(([name, value]) => !isLeftOut(name, value)));
  return {
    definition: definitionOf(tool, action, observation, definition),
    toAction: (input) => ({
      ...without(input as JsonObject, (_, value) => value === null || value === undefined),
      kind: action,
    }),
    fromAction: (given) => without(given, (name) => name === 'kind'),
    toObservation: ({ content, isError = false, fields }) => ({
      content: content as never,
      is_error: isError,
      ...fields,
      kind: observation,
    }),
  };
}

function definitionOf(
  { name, description, annotations: hints }: Parameters<typeof mcpWire>[0],
  ...kinds: readonly string[]
): JsonObject {
  const [action_type = '', observation_type = '', kind = ''] = kinds;
  const annotations = {
    title: hints.title ?? name,
    readOnlyHint: hints.readOnly ?? false,
    destructiveHint: hints.destructive ?? true,
    idempotentHint: hints.idempotent ?? false,
    openWorldHint: hints.openWorld ?? true,
  };
  return { description, action_type, observation_type, annotations, kind, title: annotations.title };
}
