import { z } from 'zod';
import type { JsonObject } from '@conv/core/events';
import { type McpServer, mcpServerSchema } from '../../descriptions/mcp-server.ts';
import { absent } from '../../schema/kept-member.ts';
import { named } from '../../schema/named.ts';
import { answer, kept, orNull, request } from '../../schema/objects.ts';
import { boolean, jsonObject, number } from '../../schema/scalars.ts';

/** A call to try. */
export interface McpToolCallSpec {
  readonly name: string;
  readonly arguments?: JsonObject;
}

/** An MCP server to try. */
export interface McpTestRequest {
  readonly name: string;
  /** As in {@link McpServer}. */
  readonly server: McpServer;
  /** Seconds. */
  readonly timeout: number;
  readonly tool_call: McpToolCallSpec | null;
}

/** What an MCP server answered. */
export interface McpTestSuccess {
  readonly ok: true;
  readonly tools: readonly string[];
  readonly tool_result: JsonObject | null;
  readonly resolved_mcp_servers: readonly JsonObject[] | null;
  readonly oauth_state: JsonObject | null;
}

/** Why an MCP server did not answer. */
export interface McpTestFailure {
  readonly ok: false;
  readonly error: string;
  readonly error_kind: 'timeout' | 'connection' | 'unknown';
}

/** How trying an MCP server went. */
export type McpTestResponse = McpTestSuccess | McpTestFailure;

/** An authorisation that a person has to give. */
export interface McpOauthStart {
  readonly ok: boolean;
  readonly job_id: string | null;
  readonly authorization_url: string | null;
  readonly error: string | null;
  readonly error_kind: 'timeout' | 'connection' | 'unknown' | null;
}

/** How far an authorisation is. */
export interface McpOauthStatus {
  readonly ok: boolean;
  readonly status: 'pending' | 'authorizing' | 'succeeded' | 'failed';
  readonly job_id: string;
  readonly authorization_url: string | null;
  readonly callback_ready: boolean;
  readonly tools: readonly string[] | null;
  readonly tool_result: JsonObject | null;
  readonly oauth_state: JsonObject | null;
  readonly error: string | null;
  readonly error_kind: 'timeout' | 'connection' | 'unknown' | null;
}

const errorKind = z.enum(['timeout', 'connection', 'unknown']);

/** The schema of {@link McpTestRequest}. */
export const mcpTestRequestSchema: z.ZodType<McpTestRequest> = named(
  'MCPTestRequest',
  request({
    name: z.string().min(1).max(128).default('test-server'),
    server: mcpServerSchema,
    timeout: number({ above: 0, maximum: 120 }).default(15),
    tool_call: orNull(kept({ name: z.string(), arguments: absent(jsonObject) })),
  }),
);

/** The schema of {@link McpTestResponse}. */
export const mcpTestResponseSchema: z.ZodType<McpTestResponse> = z.discriminatedUnion('ok', [
  named(
    'MCPTestSuccess',
    answer({
      ok: z.literal(true),
      tools: z.array(z.string()).default([]),
      tool_result: orNull(jsonObject),
      resolved_mcp_servers: orNull(z.array(jsonObject)),
      oauth_state: orNull(jsonObject),
    }),
  ),
  named('MCPTestFailure', answer({ ok: z.literal(false), error: z.string(), error_kind: errorKind })),
]);

/** The schema of {@link McpOauthStart}. */
export const mcpOauthStartSchema: z.ZodType<McpOauthStart> = named(
  'MCPOAuthStartResponse',
  answer({
    ok: boolean(),
    job_id: orNull(z.string()),
    authorization_url: orNull(z.string()),
    error: orNull(z.string()),
    error_kind: orNull(errorKind),
  }),
);

/** The schema of {@link McpOauthStatus}. */
export const mcpOauthStatusSchema: z.ZodType<McpOauthStatus> = named(
  'MCPOAuthStatusResponse',
  answer({
    ok: boolean(),
    status: z.enum(['pending', 'authorizing', 'succeeded', 'failed']),
    job_id: z.string(),
    authorization_url: orNull(z.string()),
    callback_ready: boolean().default(false),
    tools: orNull(z.array(z.string())),
    tool_result: orNull(jsonObject),
    oauth_state: orNull(jsonObject),
    error: orNull(z.string()),
    error_kind: orNull(errorKind),
  }),
);
