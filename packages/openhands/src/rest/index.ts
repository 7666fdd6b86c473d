/**
 * The routes of an agent server: paths, requests, answers, errors, and the description of the server itself.
 *
 * @packageDocumentation
 */
export { acpRoutes } from './catalog/acp-routes.ts';
export { hookRoutes } from './catalog/hook-routes.ts';
export { modelRoutes } from './catalog/llm-routes.ts';
export { mcpRoutes } from './catalog/mcp-routes.ts';
export { leftOutRoutes } from './catalog/left-out-routes.ts';
export { pluginRoutes } from './catalog/plugin-routes.ts';
export { skillRoutes } from './catalog/skill-routes.ts';
export { subAgentRoutes } from './catalog/sub-agent-routes.ts';
export type { SkillsRequest, SkillsResponse } from './catalog/skills.ts';
export { type ChangeSettingsRequest } from './conversations/change-settings.ts';
export { commandRoutes } from './conversations/command-routes.ts';
export {
  type ConversationInfo,
  type ConversationPage,
  conversationInfoSchema,
  type UnreadableConversation,
} from './conversations/conversation-info.ts';
export type { ConversationParams, IncludeSkills } from './conversations/conversation-params.ts';
export { type ForkConversationRequest } from './conversations/conversation-requests.ts';
export { conversationRoutes, type SearchConversationsQuery } from './conversations/conversation-routes.ts';
export type { EventFilter, SearchEventsQuery } from './conversations/event-filter.ts';
export { eventRoutes, IDEMPOTENCY_KEY_HEADER } from './conversations/event-routes.ts';
export {
  historyRoutes,
  type CommitsPage,
  type StateAtAnswer,
  type WireCommit,
} from './conversations/history-routes.ts';
export { type ModelViewAnswer, type OutlineAnswer, pastRoutes } from './conversations/past-routes.ts';
export { type SendMessageRequest } from './conversations/send-message.ts';
export {
  type AgentLaunchAdditions,
  type PluginSource,
  type StartConversationRequest,
} from './conversations/start-conversation.ts';
export { type Tags } from './conversations/tags.ts';
export { workspaceRoutes } from './conversations/workspace-routes.ts';
export { type ValidationDetail, type ValidationIssue } from './errors/error-body.ts';
export { type ReadPart, readPart } from './errors/read-part.ts';
export { ignoredMembers } from '../schema/index.ts';
export type { RequestPart } from './errors/validation-detail.ts';
export { STATUS_CODES } from './errors/status-codes.ts';
export { wasSent } from './errors/was-sent.ts';
export { isCommand } from './is-command.ts';
export type { Bytes, Route, RouteAuth, RouteInput, RouteTypes } from './route.ts';
export { routes } from './routes.ts';
export { CAPABILITIES } from './server/capabilities.ts';
export { NOT_BEGUN_HEADER } from './server/not-begun-header.ts';
export { serverRoutes, type ServerInfo } from './server/server-routes.ts';
export { sessionRoutes, WORKSPACE_COOKIE } from './server/session-routes.ts';
export { agentProfileRoutes } from './settings/agent-profile-routes.ts';
export {
  type AgentProfile,
  type AgentProfileDiagnostics,
  readAgentProfile,
  type StoredAgentProfile,
} from './settings/agent-profiles.ts';
export { EXPOSE_SECRETS_HEADER, type SecretExposure, secretExposure } from './settings/expose-secrets.ts';
export { llmProfileRoutes } from './settings/llm-profile-routes.ts';
export { modelStoreRoutes } from './settings/model-store-routes.ts';
export { settingsRoutes } from './settings/settings-routes.ts';
export {
  type AgentSettings,
  agentSettingsSchema,
  type ConversationSettings,
  conversationSettingsSchema,
  readAgentSettings,
  type SettingsResponse,
  type UpdateSettingsRequest,
} from './settings/settings.ts';
export {
  type BashCommand,
  type BashError,
  type BashEvent,
  type BashOutput,
  executeBashRequestSchema,
  type ExecuteBashRequest,
} from './workspace/bash-events.ts';
export { bashRoutes, type SearchBashEventsQuery } from './workspace/bash-routes.ts';
export { runtimeRoutes } from './workspace/runtime-routes.ts';
export { desktopRoutes } from './workspace/desktop-routes.ts';
export { executorRoutes } from './workspace/executor-routes.ts';
export { fileRoutes, type Folder, type HomeFolders } from './workspace/file-routes.ts';
export {
  gitRoutes,
  type GitChange,
  type GitCommit,
  type GitCommitsPage,
  type GitDiff,
} from './workspace/git-routes.ts';
export { workspaceListRoutes } from './workspace/workspace-list-routes.ts';
export type { Page } from '../schema/page.ts';
