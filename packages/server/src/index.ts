/**
 * An agent server as a Fastify plugin: conversations over HTTP and WebSocket, as OpenHands' clients speak them.
 *
 * @packageDocumentation
 */
export type { ReportFailure } from './http/fallbacks.ts';
export { conversationIn } from './http/conversation-in.ts';
export { safeHeaders } from './http/safe-headers.ts';
export type { RunObserver, RunWork } from './hosting/background-runs.ts';
export type { FleetObserver, FleetOptions } from './ownership/fleet-options.ts';
export { executorServer } from './executor-server.ts';
export type { ExecutorServerOptions } from './executor-server-options.ts';
export {
  DeferredInit,
  type DeferredInitOptions,
  type InitRequest,
  type InitStatus,
  UnusableInitError,
} from './init/deferred-init.ts';
export { agentServer, type AgentServer } from './plugin.ts';
export { serveStudio } from './routes/serve-studio.ts';
export type { ServerMetrics } from './routes/serve-server-info.ts';
export type { ServerAbout } from './routes/serve-server-info.ts';
export type { ReceiversOptions } from './receivers/receivers-options.ts';
export type { LoginsOptions } from './logins/logins-options.ts';
export type { McpTrialRequest, McpTrialResult, McpTrialsOptions } from './logins/trials-options.ts';
export type { AcpModelsOffer, AcpModelsRequest, AskAcpModels } from './routes/serve-acp.ts';
export type { Catalog } from './routes/serve-catalog.ts';
export type { WorkspaceHostOptions } from './workspace/workspace-host.ts';
export type { ConversationHost, HostLoad } from './hosting/conversation-host.ts';
export type { NewConversation } from './hosting/open-local.ts';
export type { HostedConversation, StartedRun } from './hosting/hosted-conversation.ts';
export type { StartedBy } from './hosting/counted-starts.ts';
export type { SendOptions } from './hosting/sent-messages.ts';
export type { Ending } from './hosting/ending.ts';
export type { LiveConversation, LiveSubscriber } from './hosting/live-conversation.ts';
export type { Lease } from './hosting/loaded-conversations.ts';
export type { AgentServerOptions } from './server-options.ts';
export type {
  ConversationExecutor,
  ExecutedConversation,
  ExecutorLimits,
  ExecutorRuntime,
  RuntimesOptions,
} from './hosting/runtimes.ts';
export type {
  FetchedPlugin,
  InstalledExtensions,
  MayRead,
  Offered,
  PluginContents,
  ReadPlugin,
  RefusedInstallation,
  ServerPlugins,
} from './hosting/server-plugins.ts';
export type {
  HostOptions,
  LaunchedProfile,
  MakeTitle,
  ServerProfiles,
  UnresolvedReferences,
} from './hosting/host-options.ts';
export type { SocketObserver } from './sockets/socket-observer.ts';
export type { UsageOptions } from './usage/usage.ts';
export { checkWebhookEndpoints } from './webhooks/check-webhooks.ts';
export type { WebhookObserver, WebhookOptions, WebhooksOptions } from './webhooks/webhooks-options.ts';
export { waitingServer } from './waiting-server.ts';
export type { WaitingServerOptions } from './waiting-server-options.ts';
export type { Worktree, WorktreeChoice, WorktreePlan } from './workspace/worktree.ts';
export type { WorktreeOptions, Worktrees } from './workspace/worktrees.ts';
export type { Reading } from './hosting/stored-conversation.ts';
