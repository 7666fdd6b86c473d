import { z } from 'zod';
import { closedRequest, integer, jsonObject, keptAs, named, orNull } from '../../schema/index.ts';
import { defineRoute } from '../define-route.ts';

const tag = 'Init';
const absent = { 404: 'The server was configured when it started.' };

/** The state of a server that is configured by a request. */
const initStatusSchema = keptAs('InitStatus', {
  /** `dormant`: it waits for the request; `initializing`: it starts; `ready`: all routes are served. */
  state: named('InitState', z.enum(['dormant', 'initializing', 'ready'])),
  /** The reason for which the last request failed; without the key, only that it failed. */
  error: orNull(z.string()),
});

/** The configuration of a server that waits for it. Absent members stay as the server was started. Other members are refused, because they would have no effect. */
const initRequestSchema = named(
  'InitRequest',
  closedRequest({
    session_api_keys: z.array(z.string()).optional(),
    secret_key: z.string().optional(),
    /** Keys that only decrypt. Of OpenHands' 1.57. */
    previous_secret_keys: z.array(z.string()).optional(),
    conversations_path: z.string().optional(),
    bash_events_dir: z.string().optional(),
    conversation_worktree_root: z.string().optional(),
    webhooks: z.array(jsonObject).optional(),
    web_url: z.string().optional(),
    allow_cors_origins: z.array(z.string()).optional(),
    max_concurrent_runs: integer({ minimum: 1 }).optional(),
    /** Variables of the server's process. */
    env: z.record(z.string(), z.string()).optional(),
    telemetry: jsonObject.optional(),
  }),
);

/** Routes by which a server that waits for its configuration gets it. */
export const initRoutes = {
  getInitStatus: defineRoute(tag, 'GET /api/init', 'get_init_status', 'Get the state of the configuration', {
    auth: 'none',
    scope: 'none',
    answer: initStatusSchema,
    errors: absent,
  }),

  /** A server that waits has no keys yet, so the request shows the secret key of the server, in `X-Init-API-Key`. */
  initialize: defineRoute(tag, 'POST /api/init', 'initialize_server', 'Configure a server that waits for it', {
    auth: 'none',
    scope: 'none',
    body: initRequestSchema,
    answer: initStatusSchema,
    errors: {
      ...absent,
      400: 'The server has its configuration, or gets it.',
      401: 'The key is not that of the server.',
      429: 'The address showed too many wrong keys.',
      500: 'The server could not start. It waits again.',
    },
  }),
};
