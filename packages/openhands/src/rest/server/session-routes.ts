import { defineRoute } from '../define-route.ts';

/** The cookie that lets a browser read files of workspaces. */
export const WORKSPACE_COOKIE = 'oh_workspace_session_key';

const tag = 'Session';

/** Routes of the cookie that lets a browser read files of workspaces. */
export const sessionRoutes = {
  start: defineRoute(
    tag,
    'POST /api/auth/workspace-session',
    'create_workspace_session',
    'Let a browser read files of workspaces',
    { success: 204, answer: 'empty' },
  ),

  end: defineRoute(tag, 'DELETE /api/auth/workspace-session', 'delete_workspace_session', 'Take that back', {
    success: 204,
    answer: 'empty',
  }),
};
