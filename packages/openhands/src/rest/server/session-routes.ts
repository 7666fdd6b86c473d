import type { NoInput, Route } from '../route.ts';
import { defineRoute } from '../define-route.ts';

/** The cookie that lets a browser read files of workspaces. */
export const WORKSPACE_COOKIE = 'oh_workspace_session_key';

const tag = 'Session';

/** Sets the cookie that lets a browser read files of workspaces. */
export const startWorkspaceSession: Route<NoInput, void> = defineRoute(
  tag,
  'POST /api/auth/workspace-session',
  'create_workspace_session',
  'Let a browser read files of workspaces',
  { success: 204, answer: 'empty' },
);

/** Takes the cookie back. */
export const endWorkspaceSession: Route<NoInput, void> = defineRoute(
  tag,
  'DELETE /api/auth/workspace-session',
  'delete_workspace_session',
  'Take that back',
  { success: 204, answer: 'empty' },
);
