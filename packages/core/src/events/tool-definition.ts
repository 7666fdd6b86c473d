import { z } from 'zod';
import { isObject, type JsonObject } from '../platform/json.ts';
import { model, optional } from './model.ts';

/** Hints about what a tool does. */
export interface ToolAnnotations {
  readonly title?: string | null;
  /** Absent means false. */
  readonly readOnlyHint?: boolean;
  /** Absent means true. */
  readonly destructiveHint?: boolean;
  /** Absent means false. */
  readonly idempotentHint?: boolean;
  /** Absent means true. */
  readonly openWorldHint?: boolean;
}

/** A tool as the system prompt event lists it. Its name is not among the fields, except inside `mcp_tool` and `client_tool_name`. */
export interface ToolDefinition {
  readonly description: string;
  readonly action_type: string;
  readonly observation_type?: string | null;
  readonly annotations?: ToolAnnotations | null;
  readonly meta?: JsonObject | null;
  /** The definition of an MCP tool, with `name`; only on kind `MCPToolDefinition`. */
  readonly mcp_tool?: JsonObject;
  /** Only on kind `ClientTool`. */
  readonly client_tool_name?: string;
  /** JSON schema; only on kind `ClientTool`. */
  readonly input_schema?: JsonObject;
  readonly kind: string;
  readonly title?: string;
}

const jsonObjectSchema = z.custom<JsonObject>(isObject);

/** A tool definition as it is written. */
export const toolDefinitionSchema: z.ZodType<ToolDefinition> = model('keep', {
  description: z.string(),
  action_type: z.string(),
  observation_type: optional(z.string()),
  annotations: optional(
    model('ignore', {
      title: optional(z.string()),
      readOnlyHint: z.exactOptional(z.boolean()),
      destructiveHint: z.exactOptional(z.boolean()),
      idempotentHint: z.exactOptional(z.boolean()),
      openWorldHint: z.exactOptional(z.boolean()),
    }),
  ),
  meta: optional(jsonObjectSchema),
  mcp_tool: z.exactOptional(jsonObjectSchema),
  client_tool_name: z.exactOptional(z.string()),
  input_schema: z.exactOptional(jsonObjectSchema),
  kind: z.string(),
  title: z.exactOptional(z.string()),
});
