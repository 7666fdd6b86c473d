/**
 * The routes of an agent server: paths, requests, answers, errors and what a server says of itself.
 *
 * @packageDocumentation
 */
export { getHooks, type HooksRequest, type HooksResponse } from './catalog/hook-routes.ts';
export type { ModelsResponse, ProvidersResponse, VerifiedModelsResponse } from './catalog/llm-models.ts';
export { listModels, listProviders, listVerifiedModels, type ModelsQuery } from './catalog/llm-routes.ts';
export { listInstalledPlugins, listPlugins } from './catalog/plugin-routes.ts';
export type {
  InstalledPluginResponse,
  InstalledPluginsListResponse,
  PluginInfo,
  PluginSkill,
  PluginsRequest,
  PluginsResponse,
} from './catalog/plugins.ts';
export { listInstalledSkills, listSkills } from './catalog/skill-routes.ts';
export type {
  InstalledSkillResponse,
  InstalledSkillsListResponse,
  OrgConfig,
  SkillInfo,
  SkillsRequest,
  SkillsResponse,
} from './catalog/skills.ts';
export { changeSettings, type ChangeSettingsRequest } from './conversations/change-settings.ts';
export {
  askAgent,
  condenseConversation,
  type ConversationCommand,
  type ConversationOrder,
  getFinalResponse,
  interruptConversation,
  loadPlugin,
  pauseConversation,
  resumeGoal,
  runConversation,
  setConfirmationPolicy,
  setSecurityAnalyzer,
  startGoal,
  stopGoal,
  switchAcpModel,
  switchLlm,
  switchProfile,
  updateSecrets,
} from './conversations/command-routes.ts';
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
  type BatchConversationsQuery,
  type ConversationSortOrder,
  countConversations,
  deleteConversation,
  forkConversation,
  getConversation,
  getConversations,
  navigateConversation,
  searchConversations,
  type SearchConversationsQuery,
  startConversation,
  updateConversation,
} from './conversations/conversation-routes.ts';
export type { EventFilter, EventSortOrder, SearchEventsQuery } from './conversations/event-filter.ts';
export {
  answerCall,
  approveActions,
  type BatchEventsQuery,
  countEvents,
  type EventParams,
  getEvent,
  getEvents,
  IDEMPOTENCY_KEY_HEADER,
  rejectActions,
  respondToConfirmation,
  searchEvents,
  sendMessage,
} from './conversations/event-routes.ts';
export {
  type CommitsPage,
  type CommitsQuery,
  getState,
  listCommits,
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
export { getWorkspaceFile, getWorkspaceIndex, type WorkspaceFileParams } from './conversations/workspace-routes.ts';
export { type ValidationDetail, type ValidationIssue } from './errors/error-body.ts';
export { type ReadPart, readPart } from './errors/read-part.ts';
export { type RequestPart, toValidationDetail } from './errors/validation-detail.ts';
export type { Bytes, NoInput, Route, RouteAuth, RouteInput } from './route.ts';
export { routes } from './routes.ts';
export { CAPABILITIES } from './server/capabilities.ts';
export { FORWARDED_BY_HEADER, NOT_BEGUN_HEADER } from './server/fleet-headers.ts';
export {
  getAlive,
  getHealth,
  getMetrics,
  getReady,
  getServerInfo,
  type HealthStatus,
  listTools,
  type ServerInfo,
} from './server/server-routes.ts';
export { endWorkspaceSession, startWorkspaceSession, WORKSPACE_COOKIE } from './server/session-routes.ts';
export {
  activateAgentProfile,
  type AgentProfileIdParams,
  getAgentProfile,
  listAgentProfiles,
  materializeAgentProfile,
  removeAgentProfile,
  renameAgentProfile,
  saveAgentProfile,
} from './settings/agent-profile-routes.ts';
export type {
  ActivateAgentProfileResponse,
  AgentProfileDetailResponse,
  AgentProfileDiagnostics,
  AgentProfileInfo,
  AgentProfileList,
  AgentProfileMutationResponse,
} from './settings/agent-profiles.ts';
export { EXPOSE_SECRETS_HEADER, type SecretExposure, secretExposure } from './settings/expose-secrets.ts';
export {
  activateProfile,
  getProfile,
  listProfiles,
  type ProfileParams,
  removeProfile,
  renameProfile,
  saveProfile,
  validateProfile,
} from './settings/llm-profile-routes.ts';
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
  addMcpServer,
  type Deleted,
  getAgentSettingsForm,
  getConversationSettingsForm,
  getSecret,
  getSettings,
  listSecrets,
  type McpServerParams,
  removeMcpServer,
  removeSecret,
  setSecret,
  type SetSecretRequest,
  type StoredSecret,
  updateMcpServer,
  updateSettings,
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
  type BashEventSortOrder,
  clearBashEvents,
  type ClearedBashEvents,
  executeBashCommand,
  getBashEvent,
  getBashEvents,
  searchBashEvents,
  type SearchBashEventsQuery,
  startBashCommand,
} from './workspace/bash-routes.ts';
export {
  type EditorStatus,
  type EditorUrlQuery,
  getDesktopUrl,
  getEditorStatus,
  getEditorUrl,
  type UrlResponse,
} from './workspace/desktop-routes.ts';
export {
  archiveFolder,
  type ArchiveQuery,
  createDirectory,
  downloadFile,
  downloadTrajectory,
  type Folder,
  getHome,
  type HomeFolders,
  type LabelledFolder,
  type PathQuery,
  searchFolders,
  type SearchFoldersQuery,
  uploadFile,
} from './workspace/file-routes.ts';
export {
  getGitDiff,
  type GitChange,
  type GitChangesQuery,
  type GitChangeStatus,
  type GitCommit,
  type GitCommitsPage,
  type GitDiff,
  type GitDiffQuery,
  listGitChanges,
  listGitCommitChanges,
  listGitCommits,
} from './workspace/git-routes.ts';
export {
  addWorkspaceParents,
  addWorkspaces,
  listWorkspaces,
  removeWorkspace,
  removeWorkspaceParent,
  type WorkspaceItem,
  type WorkspaceList,
  type WorkspaceParentItem,
} from './workspace/workspace-list-routes.ts';
export type { Page } from '../schema/page.ts';
export { type Success } from '../schema/success.ts';
