import { z } from 'zod';
import { mcpServerSchema } from '../../descriptions/mcp-server.ts';
import { absent, boolean, jsonObject, kept, keptAs, named, number, orNull, requestAs } from '../../schema/index.ts';

const errorKind = z.enum(['timeout', 'connection', 'unknown']);

/** An MCP server to try. */
export const mcpTestRequestSchema = requestAs('MCPTestRequest', {
  name: z.string().min(1).max(128).default('test-server'),
  server: mcpServerSchema,
  /** Seconds. */
  timeout: number({ above: 0, maximum: 120 }).default(15),
  tool_call: orNull(kept({ name: z.string(), arguments: absent(jsonObject) })),
});

/** A member of an answer that is left out where it says nothing, as OpenHands does. */
function told<Schema extends z.ZodType>(schema: Schema): z.ZodExactOptional<z.ZodNullable<Schema>> {
  return absent(z.nullable(schema));
}

/** Result of trying an MCP server. */
export const mcpTestResponseSchema = z.discriminatedUnion('ok', [
  named(
    'MCPTestSuccess',
    z.looseObject({
      ok: z.literal(true),
      tools: z.array(z.string()).default([]),
      tool_result: told(jsonObject),
      resolved_mcp_servers: told(z.array(jsonObject)),
      oauth_state: told(jsonObject),
    }),
  ),
  named('MCPTestFailure', z.looseObject({ ok: z.literal(false), error: z.string(), error_kind: errorKind })),
]);

/** An authorisation that a person must give. */
export const mcpOauthStartSchema = keptAs('MCPOAuthStartResponse', {
  ok: boolean(),
  job_id: told(z.string()),
  authorization_url: told(z.string()),
  error: told(z.string()),
  error_kind: told(errorKind),
});

/** Progress of an authorisation. */
export const mcpOauthStatusSchema = keptAs('MCPOAuthStatusResponse', {
  ok: boolean(),
  status: z.enum(['pending', 'authorizing', 'succeeded', 'failed']),
  job_id: z.string(),
  authorization_url: told(z.string()),
  callback_ready: boolean().default(false),
  tools: told(z.array(z.string())),
  tool_result: told(jsonObject),
  oauth_state: told(jsonObject),
  error: told(z.string()),
  error_kind: told(errorKind),
});
