/**
 * Descriptions of agents, models, policies, hooks, secrets and skills as OpenHands writes them.
 *
 * @packageDocumentation
 */
export type { AgentContext, MarketplaceRegistration } from './agent-context.ts';
export { type AgentDefinition } from './agent-definition.ts';
export {
  type AcpAgent,
  type AcpFileSecret,
  type AgentDescription,
  type KnownAgent,
  type OpenHandsAgent,
  type ToolReference,
} from './agent.ts';
export { type ClientToolSpec, type ToolHints } from './client-tool.ts';
export {
  type CondenserDescription,
  type LlmSummarizingCondenser,
  type NoOpCondenser,
  type PipelineCondenser,
} from './condenser.ts';
export {
  type AlwaysConfirmPolicy,
  type ConfirmRiskyPolicy,
  type KnownPolicy,
  type NeverConfirmPolicy,
  type PolicyDescription,
} from './confirmation-policy.ts';
export {
  type AgentFinishedCritic,
  type ApiBasedCritic,
  type CriticDescription,
  type EmptyPatchCritic,
  type IterativeRefinementConfig,
  type PassCritic,
} from './critic.ts';
export { type HookConfig, type HookDefinition, type HookMatcher } from './hook-config.ts';
export { type LlmDescription, type LlmFallback } from './llm.ts';
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
export { type McpServer, mcpServerMembers } from './mcp-server.ts';
export type { OtherKind } from './other-kind.ts';
export {
  type LookupSecretSource,
  type SecretRegistry,
  type SecretSource,
  type StaticSecretSource,
} from './secret-source.ts';
export {
  type AnalyzerDescription,
  type EnsembleSecurityAnalyzer,
  type GraySwanAnalyzer,
  type KnownAnalyzer,
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
  type SkillResources,
  type SkillTrigger,
  type TaskTrigger,
} from './skill.ts';
export { type LocalWorkspacePlace, type RemoteWorkspacePlace, type WorkspacePlace } from './workspace.ts';
export { mapCredentials, mapPasswords, type ConvertCredential, type CredentialSearch } from './server-credentials.ts';
