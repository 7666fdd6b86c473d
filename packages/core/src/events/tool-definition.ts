import { z } from 'zod';
import { jsonObject, model, optional } from './model.ts';

const hint = z.exactOptional(z.boolean());

export const toolAnnotationsSchema = model('ignore', {
  title: optional(z.string()),
  /** Absent means false. */
  readOnlyHint: hint,
  /** Absent means true. */
  destructiveHint: hint,
  /** Absent means false. */
  idempotentHint: hint,
  /** Absent means true. */
  openWorldHint: hint,
});

/** Hints about what a tool does. */
export type ToolAnnotations = z.output<typeof toolAnnotationsSchema>;

export const toolDefinitionSchema = model('keep', {
  description: z.string(),
  action_type: z.string(),
  observation_type: optional(z.string()),
  annotations: optional(toolAnnotationsSchema),
  meta: optional(jsonObject),
  /** The definition of an MCP tool, with `name`; only on kind `MCPToolDefinition`. */
  mcp_tool: z.exactOptional(jsonObject),
  /** Only on kind `ClientTool`. */
  client_tool_name: z.exactOptional(z.string()),
  /** JSON schema; only on kind `ClientTool`. */
  input_schema: z.exactOptional(jsonObject),
  kind: z.string(),
  title: z.exactOptional(z.string()),
});

/** A tool as the system prompt event lists it. Its name is not among the fields, except inside `mcp_tool` and `client_tool_name`. */
export type ToolDefinition = z.output<typeof toolDefinitionSchema>;
