/**
 * Descriptions of agents, models, policies, hooks, secrets and skills as OpenHands writes them.
 *
 * @packageDocumentation
 */
export type { AgentContext, MarketplaceRegistration } from './agent-context.ts';
export { type AgentDefinition, agentDefinitionSchema } from './agent-definition.ts';
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
} from './agent.ts';
export { type ClientToolSpec, clientToolSpecSchema, type ToolHints } from './client-tool.ts';
export {
  type CondenserDescription,
  condenserDescriptionSchema,
  type LlmSummarizingCondenser,
  type NoOpCondenser,
  type PipelineCondenser,
} from './condenser.ts';
export {
  type AlwaysConfirmPolicy,
  type ConfirmRiskyPolicy,
  type KnownPolicy,
  knownPolicySchema,
  type NeverConfirmPolicy,
  type PolicyDescription,
  policyDescriptionSchema,
} from './confirmation-policy.ts';
export {
  type AgentFinishedCritic,
  type ApiBasedCritic,
  type CriticDescription,
  criticDescriptionSchema,
  type EmptyPatchCritic,
  type IterativeRefinementConfig,
  type PassCritic,
} from './critic.ts';
export {
  type HookConfig,
  hookConfigSchema,
  type HookDefinition,
  type HookMatcher,
  requestedHookConfigSchema,
} from './hook-config.ts';
export { type LlmDescription, llmDescriptionSchema, type LlmFallback } from './llm.ts';
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
} from './mcp-credential.ts';
export { type McpServer, mcpServerMembers, mcpServerSchema } from './mcp-server.ts';
export type { OtherKind } from './other-kind.ts';
export {
  type LookupSecretSource,
  type SecretRegistry,
  secretRegistrySchema,
  type SecretSource,
  secretSourceSchema,
  type StaticSecretSource,
} from './secret-source.ts';
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
} from './security-analyzer.ts';
export {
  type InputMetadata,
  type KeywordTrigger,
  type PathTrigger,
  type SkillDescription,
  skillDescriptionSchema,
  type SkillResources,
  type SkillTrigger,
  type TaskTrigger,
} from './skill.ts';
export {
  type LocalWorkspacePlace,
  type RemoteWorkspacePlace,
  requestedWorkspaceSchema,
  type WorkspacePlace,
  workspacePlaceSchema,
} from './workspace.ts';
export { mapCredentials, mapPasswords, type ConvertCredential, type CredentialSearch } from './server-credentials.ts';
