import { z } from 'zod';
import { defineRoute } from '../define-route.ts';
import { request, requestAs } from '../../schema/index.ts';
import { mcpOauthStartSchema, mcpOauthStatusSchema, mcpTestRequestSchema, mcpTestResponseSchema } from './mcp-test.ts';

const tag = 'MCP';
const job = request({ job_id: z.string() });
const missing = { 404: 'There is no such authorisation.' };

/** Routes that try MCP servers and authorise at them. */
export const mcpRoutes = {
  /** Tries an MCP server. A failure of that server is part of the answer. */
  test: defineRoute(tag, 'POST /api/mcp/test', 'test_mcp_server', 'Try an MCP server', {
    scope: 'admin',
    body: mcpTestRequestSchema,
    answer: mcpTestResponseSchema,
  }),

  startOauth: defineRoute(tag, 'POST /api/mcp/oauth/start', 'start_mcp_oauth', 'Begin an authorisation', {
    scope: 'admin',
    body: mcpTestRequestSchema,
    answer: mcpOauthStartSchema,
  }),

  getOauthStatus: defineRoute(
    tag,
    'GET /api/mcp/oauth/status/{job_id}',
    'get_mcp_oauth_status',
    'Get the progress of an authorisation',
    { scope: 'admin', params: job, answer: mcpOauthStatusSchema, errors: missing },
  ),

  finishOauth: defineRoute(
    tag,
    'POST /api/mcp/oauth/callback/{job_id}',
    'submit_mcp_oauth_callback',
    'Continue an authorisation',
    {
      scope: 'admin',
      params: job,
      body: requestAs('MCPOAuthCallbackRequest', {
        /** Where an authorisation sent the person's browser. */ callback_url: z.string().min(1),
      }),
      answer: mcpOauthStatusSchema,
      errors: missing,
    },
  ),
};
