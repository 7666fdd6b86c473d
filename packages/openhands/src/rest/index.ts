/**
 * The routes of an agent server: paths, requests, answers, errors and what a server says of itself.
 *
 * @packageDocumentation
 */
export { hookRoutes, type HooksRequest, type HooksResponse } from './catalog/hook-routes.ts';
export type { ModelsResponse, ProvidersResponse, VerifiedModelsResponse } from './catalog/llm-models.ts';
export { modelRoutes, type ModelsQuery } from './catalog/llm-routes.ts';
export { pluginRoutes } from './catalog/plugin-routes.ts';
export type {
  InstalledPluginResponse,
  InstalledPluginsListResponse,
  PluginInfo,
  PluginSkill,
  PluginsRequest,
  PluginsResponse,
} from './catalog/plugins.ts';
export { skillRoutes } from './catalog/skill-routes.ts';
export type {
  InstalledSkillResponse,
  InstalledSkillsListResponse,
  OrgConfig,
  SkillInfo,
  SkillsRequest,
  SkillsResponse,
} from './catalog/skills.ts';
export { type ChangeSettingsRequest } from './conversations/change-settings.ts';
export { commandRoutes } from './conversations/command-routes.ts';
export {
  type AcpModel,
  type ConversationInfo,
  type ConversationPage,
  conversationInfoSchema,
  type LaunchedAgentProfile,
  type DamagedCommits,
  type SecretWithoutValue,
  type UnreadableConversation,
} from './conversations/conversation-info.ts';
export type { ConversationParams, IncludeSkills } from './conversations/conversation-params.ts';
export {
  type AnswerCallRequest,
  type ApproveRequest,
  type AskAgentRequest,
  type ConfirmationResponseRequest,
  type ForkConversationRequest,
  type NavigateRequest,
  type RejectRequest,
  type RunConversationRequest,
  type SetConfirmationPolicyRequest,
  type SetSecurityAnalyzerRequest,
  type StartGoalRequest,
  type AskAgentAnswer,
  type TextResponse,
  type UpdateConversationRequest,
  type UpdateSecretsRequest,
} from './conversations/conversation-requests.ts';
export {
  conversationRoutes,
  type BatchConversationsQuery,
  type ConversationSortOrder,
  type SearchConversationsQuery,
} from './conversations/conversation-routes.ts';
export type { EventFilter, EventSortOrder, SearchEventsQuery } from './conversations/event-filter.ts';
export {
  eventRoutes,
  type BatchEventsQuery,
  type EventParams,
  IDEMPOTENCY_KEY_HEADER,
} from './conversations/event-routes.ts';
export {
  historyRoutes,
  type CommitsPage,
  type CommitsQuery,
  type StateAtAnswer,
  type StateQuery,
  type WireCommit,
} from './conversations/history-routes.ts';
export {
  type ConversationStats,
  type MetricsSnapshot,
  type TokenUsage,
  type UsageReport,
} from './conversations/metrics.ts';
export { type SendMessageRequest } from './conversations/send-message.ts';
export {
  type AgentLaunchAdditions,
  type ObservabilityValue,
  type PluginSource,
  type StartConversationRequest,
} from './conversations/start-conversation.ts';
export { type Tags } from './conversations/tags.ts';
export { workspaceRoutes, type WorkspaceFileParams } from './conversations/workspace-routes.ts';
export { type ValidationDetail, type ValidationIssue } from './errors/error-body.ts';
export { type ReadPart, readPart } from './errors/read-part.ts';
export { type RequestPart, toValidationDetail } from './errors/validation-detail.ts';
export { STATUS_CODES } from './errors/status-codes.ts';
export type { Bytes, NoInput, Route, RouteAuth, RouteInput } from './route.ts';
export { routes } from './routes.ts';
export { CAPABILITIES } from './server/capabilities.ts';
export { FORWARDED_BY_HEADER, NOT_BEGUN_HEADER } from './server/fleet-headers.ts';
export { serverRoutes, type HealthStatus, type ServerInfo } from './server/server-routes.ts';
export { sessionRoutes, WORKSPACE_COOKIE } from './server/session-routes.ts';
export { agentProfileRoutes, type AgentProfileIdParams } from './settings/agent-profile-routes.ts';
export type {
  ActivateAgentProfileResponse,
  AgentProfileDetailResponse,
  AgentProfileDiagnostics,
  AgentProfileInfo,
  AgentProfileList,
  AgentProfileMutationResponse,
} from './settings/agent-profiles.ts';
export { EXPOSE_SECRETS_HEADER, type SecretExposure, secretExposure } from './settings/expose-secrets.ts';
export { llmProfileRoutes, type ProfileParams } from './settings/llm-profile-routes.ts';
export type {
  ActivateProfileResponse,
  LlmProfileDetail,
  LlmProfileInfo,
  LlmProfileList,
  ProfileMutationResponse,
  RenameProfileRequest,
  SaveProfileRequest,
  ValidateProfileRequest,
  ValidateProfileResponse,
} from './settings/llm-profiles.ts';
export type {
  SettingChoice,
  SettingField,
  SettingProminence,
  SettingsForm,
  SettingsSection,
} from './settings/settings-form.ts';
export {
  settingsRoutes,
  type Deleted,
  type McpServerParams,
  type SetSecretRequest,
  type StoredSecret,
} from './settings/settings-routes.ts';
export {
  type AgentSettings,
  agentSettingsSchema,
  type CondenserSettings,
  type ConversationSettings,
  conversationSettingsSchema,
  type McpServerPatch,
  type SettingsResponse,
  type UpdateSettingsRequest,
} from './settings/settings.ts';
export {
  type BashCommand,
  type BashError,
  type BashEvent,
  type BashOutput,
  type ExecuteBashRequest,
  executeBashRequestSchema,
} from './workspace/bash-events.ts';
export {
  bashRoutes,
  type BashEventSortOrder,
  type ClearedBashEvents,
  type SearchBashEventsQuery,
} from './workspace/bash-routes.ts';
export { desktopRoutes, type EditorStatus, type EditorUrlQuery, type UrlResponse } from './workspace/desktop-routes.ts';
export {
  fileRoutes,
  type ArchiveQuery,
  type Folder,
  type HomeFolders,
  type LabelledFolder,
  type PathQuery,
  type SearchFoldersQuery,
} from './workspace/file-routes.ts';
export {
  gitRoutes,
  type GitChange,
  type GitChangesQuery,
  type GitChangeStatus,
  type GitCommit,
  type GitCommitsPage,
  type GitDiff,
  type GitDiffQuery,
} from './workspace/git-routes.ts';
export {
  workspaceListRoutes,
  type WorkspaceItem,
  type WorkspaceList,
  type WorkspaceParentItem,
} from './workspace/workspace-list-routes.ts';
export type { Page } from '../schema/page.ts';
export { type Success } from '../schema/success.ts';
