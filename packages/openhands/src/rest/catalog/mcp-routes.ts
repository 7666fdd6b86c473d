import { z } from 'zod';
import { defineRoute } from '../define-route.ts';
import { request, requestAs } from '../../schema/index.ts';
import { mcpOauthStartSchema, mcpOauthStatusSchema, mcpTestRequestSchema, mcpTestResponseSchema } from './mcp-test.ts';

const tag = 'MCP';
const job = request({ job_id: z.string() });
const missing = { 404: 'There is no such authorisation.' };
/** A trial starts a program or calls a tool, and no person decides on that. */
const needed = { scope: ['admin', 'approve'], allConversations: true } as const;

/** Routes that try MCP servers and authorise at them. */
export const mcpRoutes = {
  /** The address that a browser comes back to from an authorization server, with `state` and `code` or `error` in its query. */
  comeBack: defineRoute(tag, 'GET /mcp/callback', 'finish_mcp_login', 'Come back from a login at an MCP server', {
    scope: 'none',
    // `state` is the key of one login, which works once
    auth: 'none',
    answer: { mediaType: 'text/html; charset=utf-8' },
    errors: { 400: 'The login failed, or is not known.', 503: 'The login cannot be stored now.' },
    extension: true,
  }),

  /** Tries an MCP server. A failure of that server is part of the answer. */
  test: defineRoute(tag, 'POST /api/mcp/test', 'test_mcp_server', 'Try an MCP server', {
    ...needed,
    body: mcpTestRequestSchema,
    answer: mcpTestResponseSchema,
  }),

  startOauth: defineRoute(tag, 'POST /api/mcp/oauth/start', 'start_mcp_oauth', 'Begin an authorisation', {
    ...needed,
    body: mcpTestRequestSchema,
    answer: mcpOauthStartSchema,
    errors: { 400: 'The server has another strategy than oauth2.' },
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
      errors: {
        ...missing,
        400: 'The address is that of another authorisation.',
        409: 'No person was asked.',
      },
    },
  ),
};
