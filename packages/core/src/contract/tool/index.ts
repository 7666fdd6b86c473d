/**
 * The tool contract: what an agent calls, and {@link defineTool} to make one. A tool author needs this module alone.
 *
 * @packageDocumentation
 */
import '../../platform/needs-node.ts';

export type { Json, JsonObject } from '../../platform/json.ts';
export { actionOf } from './action-of.ts';
export type { ClientToolInput, ClientToolSpec } from '../state/client-tool-spec.ts';
export type { ChildCall, ChildConversations, ChildResult, ChildSummary, ChildTask } from './child-conversations.ts';
export { defineTool, text, type ToolDefinition, type ToolReturn } from './define-tool.ts';
export type { Confinement, ProgramStart, Sandbox } from './sandbox.ts';
export * as toolSchemas from './tool-schemas.ts';
export type { SchemaOutput, ToolSchema, SchemaInput } from './tool-schema.ts';
export { isToolError, ToolError } from '../errors/tool-error.ts';
export {
  type Executor,
  isToolFactory,
  type ProvidedTools,
  type Tool,
  type ToolContext,
  type ToolFactory,
  type ToolProvider,
  type ToolResult,
  type ToolSession,
  type ToolSource,
  type TypedTool,
} from './tool.ts';
export * as toolWires from './tool-wires.ts';
