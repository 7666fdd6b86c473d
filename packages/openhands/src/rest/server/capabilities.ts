/**
 * The capabilities beyond OpenHands' 1.43.1, listed by `/server_info`; a client must work without capabilities that are not
 * listed.
 */
export const CAPABILITIES: {
  /** Commits and past states can be read. */
  readonly commits: 'commits_v1';
  /** The session socket: gap-free numbers, a cursor, progress of answers. */
  readonly sessionSocket: 'session_socket_v1';
  /** Single pending actions can be approved and rejected. */
  readonly approvals: 'approvals_v1';
  /** An approval may give actions other arguments. */
  readonly approvalEdits: 'approval_edits_v1';
  /** Messages, new conversations and forks may carry an idempotency key; another request with the same key is refused. */
  readonly idempotency: 'idempotency_v1';
  /** Limits and stuck detection can be changed; titles and secrets can be removed. */
  readonly settings: 'settings_v1';
  /** Calls of tools that run at the client can be answered. */
  readonly callAnswers: 'call_answers_v1';
  /** A run may have a limit of its own. */
  readonly runLimits: 'run_limits_v1';
  /** A run may be told to approve nothing. */
  readonly runApprovals: 'run_approvals_v1';
  /** The info of a conversation lists its secrets without a value. */
  readonly missingSecrets: 'missing_secrets_v1';
  /** A browser gets a session cookie in exchange for a key or a ticket. */
  readonly browserSessions: 'browser_sessions_v1';
  /** The marks of a whole log can be read. */
  readonly outline: 'outline_v1';
  /** The messages that the model would get at any point can be read. */
  readonly view: 'view_v1';
  /** Events can be followed by server-sent events and by waiting requests. */
  readonly stream: 'stream_v1';
} = {
  commits: 'commits_v1',
  sessionSocket: 'session_socket_v1',
  approvals: 'approvals_v1',
  approvalEdits: 'approval_edits_v1',
  idempotency: 'idempotency_v1',
  settings: 'settings_v1',
  callAnswers: 'call_answers_v1',
  runLimits: 'run_limits_v1',
  runApprovals: 'run_approvals_v1',
  missingSecrets: 'missing_secrets_v1',
  browserSessions: 'browser_sessions_v1',
  outline: 'outline_v1',
  view: 'view_v1',
  stream: 'stream_v1',
};
