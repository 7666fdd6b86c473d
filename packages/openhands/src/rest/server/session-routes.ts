import { z } from 'zod';
import { defineRoute } from '../define-route.ts';
import { bodyOr, kept, orNull } from '../../schema/index.ts';

/** The cookie that lets a browser read files of workspaces. */
export const WORKSPACE_COOKIE = 'oh_workspace_session_key';

const tag = 'Session';
const session = '/api/auth/session';
const otherPage = 'The request comes from a page of another origin.';

/** Routes of the cookies of browsers: a session opens the server for its own pages, and a workspace session opens files alone. */
export const sessionRoutes = {
  start: defineRoute(
    tag,
    'POST /api/auth/workspace-session',
    'create_workspace_session',
    'Let a browser read files of workspaces',
    { scope: 'none', success: 204, answer: 'empty' },
  ),

  end: defineRoute(tag, 'DELETE /api/auth/workspace-session', 'delete_workspace_session', 'Take that back', {
    scope: 'none',
    success: 204,
    answer: 'empty',
  }),

  /** Exchanges the session key of the header, or the one-use ticket of a start link, for the session cookie. */
  openSession: defineRoute(tag, `POST ${session}`, 'create_session', 'Open the server for a browser', {
    scope: 'none',
    auth: 'none',
    body: bodyOr({}, z.object({ ticket: z.string().min(1).max(200).optional() })),
    bodyOptional: true,
    success: 204,
    answer: 'empty',
    errors: {
      401: 'The key is wrong, or the ticket was used or is too old.',
      403: otherPage,
      429: 'The address has shown too many wrong keys.',
    },
    extension: true,
  }),

  /** Returns the rights of the caller. A cookie never approves where approving needs a key of its own. */
  getSession: defineRoute(tag, `GET ${session}`, 'get_session', 'Get the rights of the caller', {
    scope: 'none',
    answer: kept({
      /** `approver` if the caller may approve. */
      rights: z.enum(['session', 'approver']),
      /** The name of the key; null for a key of the server's configuration. */
      name: orNull(z.string()),
      scopes: z.array(z.enum(['read', 'run', 'approve', 'admin'])).default([]),
      /** Use of this day, UTC; null for a key without daily limits. `cost` is in US dollars. */
      daily: orNull(
        kept({
          runs: orNull(kept({ limit: z.number(), used: z.number() })),
          cost: orNull(kept({ limit: z.number(), used: z.number() })),
          resets_at: z.string(),
        }),
      ),
    }),
    extension: true,
  }),

  /** Takes the cookie away from the browser. */
  closeSession: defineRoute(tag, `DELETE ${session}`, 'delete_session', 'End the session of a browser', {
    scope: 'none',
    auth: 'none',
    success: 204,
    answer: 'empty',
    errors: { 403: otherPage },
    extension: true,
  }),
};
