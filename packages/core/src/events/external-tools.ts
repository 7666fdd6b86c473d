import { z } from 'zod';
import { isObject, type JsonObject } from '../platform/json.ts';
import { model } from './model.ts';
import { type ObservationBase, observationBase } from './observation-base.ts';

/** Call a tool that speaks the Model Context Protocol; also how tools of our own travel. */
export interface McpToolAction {
  /** The tool's arguments; absent means none. */
  readonly data?: JsonObject;
  readonly kind: 'MCPToolAction';
}

/** The answer of an MCP tool. */
export interface McpToolObservation extends ObservationBase {
  readonly tool_name: string;
  readonly kind: 'MCPToolObservation';
}

/** Answer to a call that a client performs; its action's kind is `ClientAction_<tool name>`. */
export interface ClientToolObservation extends ObservationBase {
  readonly kind: 'ClientToolObservation';
}

/** Call an MCP tool. */
export const mcpToolActionSchema: z.ZodType<McpToolAction> = model('forbid', {
  data: z.exactOptional(z.custom<JsonObject>(isObject)),
  kind: z.literal('MCPToolAction'),
});

/** Schema of the answer of an MCP tool. */
export const mcpToolObservationSchema: z.ZodType<McpToolObservation> = model('forbid', {
  ...observationBase,
  tool_name: z.string(),
  kind: z.literal('MCPToolObservation'),
});

/** Answer to a call that a client performs. */
export const clientToolObservationSchema: z.ZodType<ClientToolObservation> = model('forbid', {
  ...observationBase,
  kind: z.literal('ClientToolObservation'),
});
