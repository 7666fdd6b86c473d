/**
 * Conversations that an agent server holds, with the same interface as those of this process: {@link remote} makes the runtime for a
 * factory of `@conv/core`, {@link RemoteWorkspace} says where the server is.
 *
 * @packageDocumentation
 */
export { remote, type RemoteRuntime } from './remote.ts';
export { RemoteConversation } from './remote-conversation.ts';
export type { RemoteConversationOptions } from './remote-conversation-options.ts';
export type { RemoteGoal } from './commands/remote-goal.ts';
export type { RemoteHistory } from './commands/remote-history.ts';
export type { RemoteRunOptions } from './commands/remote-run.ts';
export type { RemoteSettings } from './commands/remote-settings.ts';
export { openRemoteConversation, type RemoteRuntimeOptions } from './open-remote-conversation.ts';
export { executeIn, type ExecuteInOptions, type ExecutorWorkspace } from './workspace/execute-in.ts';
export { RemoteWorkspace, type RemoteWorkspaceOptions } from './workspace/remote-workspace.ts';
export type { StartableWorkspace } from './workspace/startable-workspace.ts';
export type { CommandOptions, CommandResult } from './workspace/run-command.ts';
export type { GitChange, GitDiff } from '@conv/openhands/rest';
export type { BackoffOptions } from '@conv/core/platform';
export type { RequestOptions, ServerRetry } from './transport/server-client.ts';
export type { ServerInfo } from './transport/server-info.ts';
export type { SocketAgent } from './transport/socket-end.ts';
