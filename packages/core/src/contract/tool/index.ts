/**
 * The tool contract: what an agent calls, and {@link defineTool} to make one. A tool author needs this module alone.
 *
 * @packageDocumentation
 */
import '../../platform/needs-node.ts';

export type { Json, JsonObject } from '../../platform/json.ts';
export { actionOf } from './action-of.ts';
export { clientTool } from './client-tool.ts';
export {
  clientToolIssues,
  oversizedClientTools,
  parseClientTool,
  readClientTool,
  type ClientToolInput,
  type ClientToolSpec,
} from '../state/client-tool-spec.ts';
export type { ChildCall, ChildConversations, ChildResult, ChildSummary, ChildTask } from './child-conversations.ts';
export { defineTool, text, type ToolDefinition } from './define-tool.ts';
export { isToolSchema, runSchema, type SchemaOutput, type ToolSchema } from './tool-schema.ts';
export { mcpWire, nativeWire } from './mcp-wire.ts';
export { checkFreeToolName, isReservedToolName } from './tool-name.ts';
export { isToolError, ToolError } from '../errors/tool-error.ts';
export {
  isToolFactory,
  type ProvidedTools,
  type Tool,
  type ToolContent,
  type ToolContext,
  type ToolFactory,
  type ToolProvider,
  type ToolResult,
  type ToolSession,
  type ToolSource,
} from './tool.ts';
export type { ChildAgent } from './child-conversations.ts';
export type { AnswerClientCall } from './client-tool.ts';
export type { ToolReturn, ToolSchemaOfNothing } from './define-tool.ts';
export type { ToolDescription } from './mcp-wire.ts';
export type { SchemaAsJson, SchemaCheck, SchemaInput, SchemaIssue, SchemaResult } from './tool-schema.ts';
export type { ToolWire, TypedTool } from './tool.ts';
