/**
 * The agent: a language model that works in a conversation with tools.
 *
 * {@link createAgent} puts a model, tools and a prompt together; {@link createAgentFactory} builds agents again from what a
 * conversation stored. A model is any of the AI SDK's providers, taken from the environment ({@link modelFromEnvironment}),
 * from a provider's function ({@link openai}, {@link anthropic}, {@link google}, {@link openaiCompatible}) or as it is
 * ({@link createModel}); others can stand in for it ({@link withFallbacks}), and models have names in a folder
 * ({@link modelProfiles}). Failures of a model are {@link LlmError}s with a code.
 *
 * @packageDocumentation
 */
export { AgentError, type AgentErrorCode, isAgentError } from './base/agent-error.ts';
export { type AgentFactoryOptions, createAgentFactory, type ToolRegistry } from './assembly/agent-factory.ts';
export { type AgentOptions, createAgent } from './assembly/create-agent.ts';
export { responseOf } from './tools/response-of.ts';
export type { ToolTimeout } from './tools/tool-timeout.ts';
export type { Condensed, CondenseOptions, Condenser, LastCall } from './condensers/condenser.ts';
export { noCondenser } from './condensers/kept-condenser.ts';
export {
  llmSummarizingCondenser,
  type LlmSummarizingCondenserOptions,
} from './condensers/llm-summarizing-condenser.ts';
export { pipelineCondenser } from './condensers/pipeline-condenser.ts';
export { isLlmError, LlmError, type LlmErrorCode, type LlmErrorOptions } from './model/llm-error.ts';
export { modelFromDescription, storedModel } from './model/sources/model-from-description.ts';
export { type Environment, modelFromEnvironment } from './model/sources/model-from-environment.ts';
export { createModel, type CreateModelOptions, type Model, type ModelApi } from './model/model.ts';
export type { CallSettings, ModelOptions, ModelPrice } from './model/model-options.ts';
export type { LlmObjects } from './model/sources/llm-objects.ts';
export {
  type ModelProfiles,
  modelProfiles,
  type ModelProfilesOptions,
  storedModelWithProfiles,
} from './model/sources/model-profiles.ts';
export {
  anthropic,
  google,
  openai,
  openaiCompatible,
  type OpenaiCompatibleOptions,
  type OpenaiOptions,
  type ProviderOptions,
} from './model/sources/providers.ts';
export type { Retry, RetryOptions } from './model/retry.ts';
export { titleFor, type TitleOptions } from './questions/title.ts';
export { withFallbacks } from './model/with-fallbacks.ts';
export { ensembleSecurityAnalyzer, type EnsembleOptions } from './security/ensemble-analyzer.ts';
export { llmSecurityAnalyzer } from './security/llm-analyzer.ts';
export type { SecurityPattern } from './security/own-pattern.ts';
export { type PatternAnalyzerOptions, patternSecurityAnalyzer } from './security/pattern-analyzer.ts';
export { policyRailSecurityAnalyzer } from './security/policy-rail-analyzer.ts';
export { reviveSecurityAnalyzer } from './security/revive-analyzer.ts';
export { loadPlugin } from './plugins/load-plugin.ts';
export type { Plugin } from './plugins/plugin.ts';
export { findProjectSkills, findSkills, type FoundSkills, loadSkill } from './skills/found-skills.ts';
export { loadProjectSkills, loadSkills } from './skills/load-skills.ts';
export type { Skill, SkillInput, SkillTrigger } from './skills/skill.ts';
export { toWireSkill as describeSkill } from './skills/wire-skills.ts';
export type { AgentDefinition, PermissionMode } from './sub-agents/agent-definition.ts';
export type { SubAgentSources } from './sub-agents/build-sub-agent.ts';
export { describeAgentDefinition, describeSubAgent } from './sub-agents/describe-definition.ts';
export { delegateTool } from './sub-agents/delegate-tool.ts';
export {
  loadAgentDefinitions,
  loadProjectAgentDefinitions,
  type ProjectAgentsOptions,
} from './sub-agents/load-agent-definitions.ts';
export type { SubAgentsOptions } from './sub-agents/sub-agents.ts';
export { type ChildStart, type StartChild, type StartedChild, startChildTool } from './sub-agents/start-child-tool.ts';
export { taskTool } from './sub-agents/task-tool.ts';
export { askOracleTool, type AskOracleOptions } from './tools/ask-oracle.ts';
export { type BuiltInTool, finishTool, thinkTool } from './tools/built-in-tools.ts';
export type { ResponseSchema } from './tools/response-tool.ts';
export { routeTaskTool, type RouteTaskOptions } from './tools/route-task.ts';
