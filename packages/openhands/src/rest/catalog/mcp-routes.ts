import { z } from 'zod';
import type { Route } from '../route.ts';
import { defineRoute } from '../define-route.ts';
import { named } from '../../schema/named.ts';
import { request } from '../../schema/objects.ts';
import {
  type McpOauthStart,
  mcpOauthStartSchema,
  type McpOauthStatus,
  mcpOauthStatusSchema,
  type McpTestRequest,
  mcpTestRequestSchema,
  type McpTestResponse,
  mcpTestResponseSchema,
} from './mcp-test.ts';

/** Which authorisation. */
export interface McpOauthParams {
  readonly job_id: string;
}

/** Where an authorisation sent the person's browser. */
export interface McpOauthCallbackRequest {
  readonly callback_url: string;
}

const tag = 'MCP';
const job: z.ZodType<McpOauthParams> = request({ job_id: z.string() });
const missing = { 404: 'There is no such authorisation.' };

/** Tries an MCP server; what goes wrong with it is told in the answer. */
export const testMcpServer: Route<{ body: McpTestRequest }, McpTestResponse> = defineRoute(
  tag,
  'POST /api/mcp/test',
  'test_mcp_server',
  'Try an MCP server',
  { body: mcpTestRequestSchema, answer: mcpTestResponseSchema },
);

/** Begins an authorisation at an MCP server. */
export const startMcpOauth: Route<{ body: McpTestRequest }, McpOauthStart> = defineRoute(
  tag,
  'POST /api/mcp/oauth/start',
  'start_mcp_oauth',
  'Begin an authorisation',
  { body: mcpTestRequestSchema, answer: mcpOauthStartSchema },
);

/** Says how far an authorisation is. */
export const getMcpOauthStatus: Route<{ params: McpOauthParams }, McpOauthStatus> = defineRoute(
  tag,
  'GET /api/mcp/oauth/status/{job_id}',
  'get_mcp_oauth_status',
  'How far an authorisation is',
  { params: job, answer: mcpOauthStatusSchema, errors: missing },
);

/** Goes on with an authorisation that a person gave. */
export const finishMcpOauth: Route<{ params: McpOauthParams; body: McpOauthCallbackRequest }, McpOauthStatus> =
  defineRoute(
    tag,
    'POST /api/mcp/oauth/callback/{job_id}',
    'submit_mcp_oauth_callback',
    'Go on with an authorisation',
    {
      params: job,
      body: named('MCPOAuthCallbackRequest', request({ callback_url: z.string().min(1) })),
      answer: mcpOauthStatusSchema,
      errors: missing,
    },
  );
