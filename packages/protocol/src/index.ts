/**
 * What an agent server and its clients say to each other.
 *
 * @packageDocumentation
 */
export type { Bytes, NoInput, Route, RouteAuth, RouteInput } from './route.ts';
export { routes } from './routes.ts';
export {
  type AgentContext,
  agentContextSchema,
  type MarketplaceRegistration,
  marketplaceRegistrationSchema,
} from './agents/agent-context.ts';
export { type AgentDefinition, agentDefinitionSchema } from './agents/agent-definition.ts';
export {
  type AcpAgent,
  acpAgentSchema,
  type AcpFileSecret,
  acpFileSecretSchema,
  type AgentDescription,
  agentDescriptionSchema,
  type KnownAgent,
  knownAgentSchema,
  type OpenHandsAgent,
  openHandsAgentSchema,
  type ToolReference,
  toolReferenceSchema,
} from './agents/agent.ts';
export { type ClientToolSpec, clientToolSpecSchema, type ToolHints, toolHintsSchema } from './agents/client-tool.ts';
export {
  type CondenserDescription,
  condenserDescriptionSchema,
  type LlmSummarizingCondenser,
  llmSummarizingCondenserSchema,
  type NoOpCondenser,
  noOpCondenserSchema,
  type PipelineCondenser,
  pipelineCondenserSchema,
} from './agents/condenser.ts';
export {
  type AlwaysConfirmPolicy,
  alwaysConfirmSchema,
  type ConfirmRiskyPolicy,
  confirmRiskySchema,
  type KnownPolicy,
  knownPolicySchema,
  type NeverConfirmPolicy,
  neverConfirmSchema,
  type PolicyDescription,
  policyDescriptionSchema,
} from './agents/confirmation-policy.ts';
export {
  type AgentFinishedCritic,
  agentFinishedCriticSchema,
  type ApiBasedCritic,
  apiBasedCriticSchema,
  type CriticDescription,
  criticDescriptionSchema,
  type EmptyPatchCritic,
  emptyPatchCriticSchema,
  type IterativeRefinementConfig,
  iterativeRefinementConfigSchema,
  type PassCritic,
  passCriticSchema,
} from './agents/critic.ts';
export {
  type HookConfig,
  hookConfigSchema,
  type HookDefinition,
  hookDefinitionSchema,
  type HookMatcher,
  hookMatcherSchema,
  requestedHookConfigSchema,
} from './agents/hook-config.ts';
export { type LlmDescription, llmDescriptionSchema, type LlmFallback, llmFallbackSchema } from './agents/llm.ts';
export {
  type McpApiKeyAuthCredential,
  mcpApiKeyAuthCredentialSchema,
  type McpBasicAuthCredential,
  mcpBasicAuthCredentialSchema,
  type McpBearerAuthCredential,
  mcpBearerAuthCredentialSchema,
  type McpCredential,
  mcpCredentialSchema,
  type McpHeaderAuthCredential,
  mcpHeaderAuthCredentialSchema,
  type McpNoneAuthCredential,
  mcpNoneAuthCredentialSchema,
  type McpOAuthAuthCredential,
  mcpOAuthAuthCredentialSchema,
  type McpOAuthAuthentication,
  mcpOAuthAuthenticationSchema,
  type McpOAuthClientInfoState,
  mcpOAuthClientInfoStateSchema,
  type McpOAuthState,
  mcpOAuthStateSchema,
  type McpOAuthTokenState,
  mcpOAuthTokenStateSchema,
} from './agents/mcp-credential.ts';
export { type McpServer, mcpServerSchema } from './agents/mcp-server.ts';
export { type OtherKind, otherKindSchema } from './agents/other-kind.ts';
export {
  type LookupSecretSource,
  lookupSecretSourceSchema,
  type SecretRegistry,
  secretRegistrySchema,
  type SecretSource,
  secretSourceSchema,
  type StaticSecretSource,
  staticSecretSourceSchema,
} from './agents/secret-source.ts';
export {
  type AnalyzerDescription,
  analyzerDescriptionSchema,
  type EnsembleSecurityAnalyzer,
  ensembleSecurityAnalyzerSchema,
  type GraySwanAnalyzer,
  graySwanAnalyzerSchema,
  type KnownAnalyzer,
  knownAnalyzerSchema,
  type LlmSecurityAnalyzer,
  llmSecurityAnalyzerSchema,
  type PatternSecurityAnalyzer,
  patternSecurityAnalyzerSchema,
  type PolicyRailSecurityAnalyzer,
  policyRailSecurityAnalyzerSchema,
  type ToolShieldLlmSecurityAnalyzer,
  toolShieldLlmSecurityAnalyzerSchema,
} from './agents/security-analyzer.ts';
export {
  type InputMetadata,
  inputMetadataSchema,
  type KeywordTrigger,
  keywordTriggerSchema,
  type PathTrigger,
  pathTriggerSchema,
  type SkillDescription,
  skillDescriptionSchema,
  type SkillResources,
  skillResourcesSchema,
  type SkillTrigger,
  type TaskTrigger,
  taskTriggerSchema,
} from './agents/skill.ts';
export {
  type LocalWorkspacePlace,
  localWorkspaceSchema,
  type RemoteWorkspacePlace,
  remoteWorkspaceSchema,
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
  bashEventPageSchema,
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
  conversationInfoSchema,
  conversationPageSchema,
  type LaunchedAgentProfile,
} from './conversations/conversation-info.ts';
export {
  type ConversationParams,
  conversationParams,
  type IncludeSkills,
  includeSkills,
} from './conversations/conversation-params.ts';
export {
  agentResponseSchema,
  type AnswerCallRequest,
  answerCallRequestSchema,
  type ApproveRequest,
  approveRequestSchema,
  type AskAgentRequest,
  askAgentRequestSchema,
  askAgentResponseSchema,
  type ConfirmationResponseRequest,
  confirmationResponseRequestSchema,
  DEFAULT_REJECTION_REASON,
  type ForkConversationRequest,
  forkConversationRequestSchema,
  loadPluginRequestSchema,
  type NavigateRequest,
  navigateRequestSchema,
  type RejectRequest,
  rejectRequestSchema,
  type SetConfirmationPolicyRequest,
  setConfirmationPolicyRequestSchema,
  type SetSecurityAnalyzerRequest,
  setSecurityAnalyzerRequestSchema,
  type StartGoalRequest,
  startGoalRequestSchema,
  switchAcpModelRequestSchema,
  switchLlmRequestSchema,
  switchProfileRequestSchema,
  type TextResponse,
  type UpdateConversationRequest,
  updateConversationRequestSchema,
  type UpdateSecretsRequest,
  updateSecretsRequestSchema,
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
export {
  type EventFilter,
  eventFilterSchema,
  type EventSortOrder,
  type SearchEventsQuery,
  searchEventsQuerySchema,
} from './events/event-filter.ts';
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
export {
  type OpenApiDocument,
  openApiDocument,
  type OpenApiInfo,
  type OpenApiOperation,
  type OpenApiParameter,
  type OpenApiResponse,
} from './openapi/open-api-document.ts';
export type { Page } from './schema/page.ts';
export { type Success, successSchema } from './schema/success.ts';
export { CAPABILITIES } from './server/capabilities.ts';
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
