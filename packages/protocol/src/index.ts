/**
 * What an agent server and its clients say to each other.
 *
 * @packageDocumentation
 */
export type { Bytes, NoInput, Route, RouteAuth, RouteInput } from './route.ts';
export { routes } from './routes.ts';
export type { AgentContext, MarketplaceRegistration } from './agents/agent-context.ts';
export { type AgentDefinition, agentDefinitionSchema } from './agents/agent-definition.ts';
export {
  type AcpAgent,
  type AcpFileSecret,
  type AgentDescription,
  agentDescriptionSchema,
  type KnownAgent,
  knownAgentSchema,
  type OpenHandsAgent,
  type ToolReference,
  toolReferenceSchema,
} from './agents/agent.ts';
export { type ClientToolSpec, clientToolSpecSchema, type ToolHints } from './agents/client-tool.ts';
export {
  type CondenserDescription,
  condenserDescriptionSchema,
  type LlmSummarizingCondenser,
  type NoOpCondenser,
  type PipelineCondenser,
} from './agents/condenser.ts';
export {
  type AlwaysConfirmPolicy,
  type ConfirmRiskyPolicy,
  type KnownPolicy,
  knownPolicySchema,
  type NeverConfirmPolicy,
  type PolicyDescription,
  policyDescriptionSchema,
} from './agents/confirmation-policy.ts';
export {
  type AgentFinishedCritic,
  type ApiBasedCritic,
  type CriticDescription,
  criticDescriptionSchema,
  type EmptyPatchCritic,
  type IterativeRefinementConfig,
  type PassCritic,
} from './agents/critic.ts';
export {
  type HookConfig,
  hookConfigSchema,
  type HookDefinition,
  type HookMatcher,
  requestedHookConfigSchema,
} from './agents/hook-config.ts';
export { type LlmDescription, llmDescriptionSchema, type LlmFallback } from './agents/llm.ts';
export type {
  McpApiKeyAuthCredential,
  McpBasicAuthCredential,
  McpBearerAuthCredential,
  McpCredential,
  McpHeaderAuthCredential,
  McpNoneAuthCredential,
  McpOAuthAuthCredential,
  McpOAuthAuthentication,
  McpOAuthClientInfoState,
  McpOAuthState,
  McpOAuthTokenState,
} from './agents/mcp-credential.ts';
export { type McpServer, mcpServerMembers, mcpServerSchema } from './agents/mcp-server.ts';
export type { OtherKind } from './agents/other-kind.ts';
export {
  type LookupSecretSource,
  type SecretRegistry,
  secretRegistrySchema,
  type SecretSource,
  secretSourceSchema,
  type StaticSecretSource,
} from './agents/secret-source.ts';
export {
  type AnalyzerDescription,
  analyzerDescriptionSchema,
  type EnsembleSecurityAnalyzer,
  type GraySwanAnalyzer,
  type KnownAnalyzer,
  knownAnalyzerSchema,
  type LlmSecurityAnalyzer,
  type PatternSecurityAnalyzer,
  type PolicyRailSecurityAnalyzer,
  type ToolShieldLlmSecurityAnalyzer,
} from './agents/security-analyzer.ts';
export {
  type InputMetadata,
  type KeywordTrigger,
  type PathTrigger,
  type SkillDescription,
  skillDescriptionSchema,
  type SkillResources,
  type SkillTrigger,
  type TaskTrigger,
} from './agents/skill.ts';
export {
  listSubAgents,
  type SubAgentInfo,
  type SubAgentsRequest,
  type SubAgentsResponse,
} from './agents/sub-agents.ts';
export {
  type LocalWorkspacePlace,
  type RemoteWorkspacePlace,
  requestedWorkspaceSchema,
  type WorkspacePlace,
  workspacePlaceSchema,
} from './agents/workspace.ts';
export {
  type BashCommand,
  bashCommandSchema,
  type BashError,
  bashErrorSchema,
  type BashEvent,
  bashEventSchema,
  type BashOutput,
  bashOutputSchema,
  type ExecuteBashRequest,
  executeBashRequestSchema,
} from './bash/bash-events.ts';
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
} from './bash/bash-routes.ts';
export {
  changeSettings,
  type ChangeSettingsRequest,
  changeSettingsRequestSchema,
} from './conversations/change-settings.ts';
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
  DEFAULT_REJECTION_REASON,
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
export { executionStatusSchema } from './conversations/execution-status.ts';
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
  conversationStatsSchema,
  type MetricsSnapshot,
  metricsSnapshotSchema,
  type TokenUsage,
  type UsageReport,
} from './conversations/metrics.ts';
export {
  messageContentSchema,
  type SendMessageRequest,
  sendMessageRequestSchema,
} from './conversations/send-message.ts';
export {
  type AgentLaunchAdditions,
  type NewConversation,
  type ObservabilityValue,
  type PluginSource,
  pluginSourceSchema,
  type StartConversationRequest,
  startConversationRequestSchema,
} from './conversations/start-conversation.ts';
export { type Tags, tagsSchema } from './conversations/tags.ts';
export { getWorkspaceFile, getWorkspaceIndex, type WorkspaceFileParams } from './conversations/workspace-routes.ts';
export {
  type EditorStatus,
  type EditorUrlQuery,
  getDesktopUrl,
  getEditorStatus,
  getEditorUrl,
  type UrlResponse,
} from './desktop/desktop-routes.ts';
export {
  type ErrorBody,
  errorBodySchema,
  type ServerErrorBody,
  serverErrorBodySchema,
  type ValidationDetail,
  validationDetailSchema,
  type ValidationIssue,
} from './errors/error-body.ts';
export { type ReadPart, readPart } from './errors/read-part.ts';
export { type RequestPart, toValidationDetail } from './errors/validation-detail.ts';
export type { EventFilter, EventSortOrder, SearchEventsQuery } from './events/event-filter.ts';
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
} from './events/event-routes.ts';
export { eventSchema, strictEventSchema } from './events/event-schema.ts';
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
} from './files/file-routes.ts';
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
} from './git/git-routes.ts';
export { getHooks, type HooksRequest, type HooksResponse } from './hooks/hook-routes.ts';
export type {
  ModelsResponse,
  ProviderConnectionCreateRequest,
  ProviderConnectionResponse,
  ProviderConnectionUpdateRequest,
  ProvidersResponse,
  SubscriptionDevicePollRequest,
  SubscriptionDeviceStartResponse,
  SubscriptionModelsResponse,
  SubscriptionStatusResponse,
  VerifiedModelsResponse,
} from './llm/llm-models.ts';
export {
  addProviderConnection,
  getSubscriptionStatus,
  listModels,
  listProviderConnections,
  listProviders,
  listSubscriptionModels,
  listVerifiedModels,
  type ModelsQuery,
  pollSubscription,
  type ProviderConnectionParams,
  removeProviderConnection,
  removeSubscription,
  startSubscription,
  updateProviderConnection,
} from './llm/llm-routes.ts';
export {
  finishMcpOauth,
  getMcpOauthStatus,
  type McpOauthCallbackRequest,
  type McpOauthParams,
  startMcpOauth,
  testMcpServer,
} from './mcp/mcp-routes.ts';
export type {
  McpOauthStart,
  McpOauthStatus,
  McpTestFailure,
  McpTestRequest,
  McpTestResponse,
  McpTestSuccess,
  McpToolCallSpec,
} from './mcp/mcp-test.ts';
export type { JsonSchema } from './openapi/json-schema.ts';
export {
  type OpenApiDocument,
  openApiDocument,
  type OpenApiInfo,
  type OpenApiOperation,
  type OpenApiParameter,
  type OpenApiResponse,
} from './openapi/open-api-document.ts';
export {
  getInstalledPlugin,
  installPlugin,
  listInstalledPlugins,
  listPluginMarketplace,
  listPlugins,
  removeInstalledPlugin,
  updateInstalledPlugin,
} from './plugins/plugin-routes.ts';
export type {
  InstalledPluginResponse,
  InstalledPluginsListResponse,
  InstallPluginRequest,
  PluginCatalog,
  PluginInfo,
  PluginSkill,
  PluginsRequest,
  PluginsResponse,
} from './plugins/plugins.ts';
export {
  activateAgentProfile,
  type AgentProfileIdParams,
  getAgentProfile,
  listAgentProfiles,
  materializeAgentProfile,
  removeAgentProfile,
  renameAgentProfile,
  saveAgentProfile,
} from './profiles/agent-profile-routes.ts';
export type {
  ActivateAgentProfileResponse,
  AgentProfileDetailResponse,
  AgentProfileDiagnostics,
  AgentProfileInfo,
  AgentProfileList,
  AgentProfileMutationResponse,
} from './profiles/agent-profiles.ts';
export {
  activateProfile,
  getProfile,
  listProfiles,
  type ProfileParams,
  removeProfile,
  renameProfile,
  saveProfile,
  validateProfile,
} from './profiles/llm-profile-routes.ts';
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
} from './profiles/llm-profiles.ts';
export type { Page } from './schema/page.ts';
export { type Success, successSchema } from './schema/success.ts';
export { CAPABILITIES } from './server/capabilities.ts';
export { FORWARDED_BY_HEADER, NOT_BEGUN_HEADER } from './server/fleet-headers.ts';
export { getInitStatus, type InitRequest, initServer, type InitStatus } from './server/init-routes.ts';
export {
  createChatCompletion,
  listOpenAiModels,
  OPENAI_CONVERSATION_HEADER,
  type OpenAiModel,
  type OpenAiModelList,
} from './server/openai-routes.ts';
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
export { EXPOSE_SECRETS_HEADER, type SecretExposure, secretExposure } from './settings/expose-secrets.ts';
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
  settingsResponseSchema,
  type UpdateSettingsRequest,
} from './settings/settings.ts';
export {
  getInstalledSkill,
  type InstalledParams,
  installSkill,
  listInstalledSkills,
  listSkillMarketplace,
  listSkills,
  refreshInstalledSkill,
  removeInstalledSkill,
  syncSkills,
  updateInstalledSkill,
} from './skills/skill-routes.ts';
export type {
  InstalledSkillResponse,
  InstalledSkillsListResponse,
  InstallSkillRequest,
  MarketplaceSkillInfo,
  OrgConfig,
  SkillCatalog,
  SkillInfo,
  SkillsRequest,
  SkillsResponse,
  SyncResponse,
  UninstallSkillResponse,
  UpdateSkillResponse,
  UpdateSkillStateRequest,
  UpdateSkillStateResponse,
} from './skills/skills.ts';
export {
  AUTH_FRAME_TIMEOUT,
  type AuthFrame,
  authFrameSchema,
  type ConversationClientFrame,
  conversationClientFrameSchema,
  FRAME_ERROR_CODES,
  type MessageFrame,
  messageFrameSchema,
} from './sockets/client-frames.ts';
export { CLOSE_CODES, type CloseCode, isFinalClose } from './sockets/close-codes.ts';
export {
  type DeltaFrame,
  type DurableFrame,
  type ErrorFrame,
  type ItemAbortedFrame,
  type ItemStartedFrame,
  type SessionFrame,
  sessionFrameSchema,
  type SyncFrame,
  type TransientFrame,
} from './sockets/session-frames.ts';
export {
  bashSocket,
  type BashSocketQuery,
  eventsSocket,
  type EventsSocketQuery,
  sessionSocket,
  type SessionSocketQuery,
} from './sockets/socket-routes.ts';
export type { SocketRoute } from './sockets/socket.ts';
export { sockets } from './sockets/sockets.ts';
export {
  addWorkspaceParents,
  addWorkspaces,
  listWorkspaces,
  removeWorkspace,
  removeWorkspaceParent,
  type WorkspaceItem,
  type WorkspaceList,
  type WorkspaceParentItem,
} from './workspaces/workspace-list-routes.ts';
