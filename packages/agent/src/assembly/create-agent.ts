import { checkAgentOptions } from '../base/check-agent-options.ts';
import { checkAgentParts } from './check-agent-parts.ts';
import type { LanguageModelV4 } from '@ai-sdk/provider';
import { type Agent, type OptionNames } from '@conv/core';
import type { JsonObject } from '@conv/core/events';
import type { Tool, ToolProvider, ToolSource } from '@conv/core/tool';
import type { Condenser } from '../condensers/condenser.ts';
import { llmSummarizingCondenser } from '../condensers/llm-summarizing-condenser.ts';
import { keysOf } from '../model/keys-of.ts';
import type { ModelProfiles } from '../model/sources/model-profiles.ts';
import { type Model, toModel } from '../model/model.ts';
import { checkedSkills } from '../skills/check-skills.ts';
import { enrich, enrichesMessages } from '../skills/enrich.ts';
import { invokeSkillTools } from '../skills/invoke-skill.ts';
import type { Skill } from '../skills/skill.ts';
import { skillsOfDescription } from '../skills/wire-skills.ts';
import { type BuiltInTool, builtInTools, finishTool } from '../tools/built-in-tools.ts';
import { ensureDistinct, ensureFree } from '../tools/ensure-distinct.ts';
import { isToolProvider } from '../tools/is-tool-provider.ts';
import { makeTools } from '../tools/make-tools.ts';
import { type ResponseSchema, type ResponseTool, responseTool } from '../tools/response-tool.ts';
import { namesOf, switchLlmTool, type SwitchProfiles } from '../tools/switch-llm.ts';
import { toolFilterOf } from '../tools/tool-filter.ts';
import { AgentError } from '../base/agent-error.ts';
import { rememberParts } from './agent-parts.ts';
import { createSession } from './agent-session.ts';
import { rememberCaller } from './calling-agent.ts';
import { DEFAULT_SYSTEM_PROMPT } from '../step/default-prompt.ts';
import { describeAgent, type Described } from './describe.ts';
import { describeModel } from '../model/sources/describe-model.ts';
import { mapSecrets, secretValuesOf, secretWriter } from '../model/sources/description-secrets.ts';
import { memoryBlock, wantsMemory } from '../step/memory.ts';
import { checkedToolConcurrency, TOOL_CONCURRENCY } from '../tools/tool-concurrency.ts';
import { checkedToolTimeout, checkTimedTools, type ToolTimeout } from '../tools/tool-timeout.ts';

/** Options of {@link createAgent}. */
export interface AgentOptions {
  /** A {@link Model}, or a model of any AI SDK provider. */
  readonly model: Model | LanguageModelV4;
  /**
   * In the order in which the model sees them; built-in tools follow, and behind those the tools of providers, such as
   * `mcpServers` of `@conv/tools`. What a provider has is known when a conversation needs its tools, and may change from one
   * step to the next. Default none.
   */
  readonly tools?: readonly (ToolSource | ToolProvider)[];
  /** Default: a prompt for work with tools. */
  readonly systemPrompt?: string;
  /** Said behind what the prompt says of the conversation's folder and date. */
  readonly systemSuffix?: string;
  /**
   * Knowledge and instructions, such as those of {@link loadSkills}: what always holds stands behind the folder and the date,
   * and so does a list of the skills that the model may read with `invoke_skill`; the others come with the messages that call
   * for them. Up to 512 KiB of text. Default none.
   */
  readonly skills?: readonly Skill[];
  /** Said behind every message of the user, visible in its event. Default nothing. */
  readonly userSuffix?: string;
  /**
   * Models that it may hand over to by itself, by name, with the tool `switch_llm`, see {@link modelProfiles}. Default: none, and there
   * is no such tool.
   */
  readonly profiles?: Pick<ModelProfiles, 'list' | 'load'>;
  /** Default both. Without `FinishTool` only a text ends a run. */
  readonly includeDefaultTools?: readonly BuiltInTool[];
  /**
   * What the answer of a run has to be: a zod object or a JSON Schema of an object. The finish tool then takes it, the model is
   * told what is wrong with one that does not fit, and to call finish when it answers in words, at most twice for each message of the user;
   * {@link responseOf} reads it. A stored agent keeps what a JSON Schema says, but not refinements. Default: a text.
   */
  readonly responseSchema?: ResponseSchema;
  /**
   * Milliseconds above 0 after which a tool's call is left behind and counts as failed: one limit, or limits by the tools'
   * names, such as `{ terminal: 600_000 }`. A conversation may set a shorter one. Default: none, only an interrupt ends it.
   */
  readonly toolTimeout?: ToolTimeout;
  /**
   * How many calls of one response may run at the same time, a whole number from 1. Calls that need the same for themselves,
   * see `Tool.resources`, run one after the other regardless, and a tool that does not say what it needs runs one call at a
   * time. Default 1: one call after the other.
   */
  readonly toolConcurrency?: number;
  /**
   * Shortens what the model reads when it becomes too much. Default: `llmSummarizingCondenser()`, because an agent without one
   * ends where the model's context ends; `null`: none.
   */
  readonly condenser?: Condenser | null;
  /** Under which name the calls of models are counted that name none themselves. Default `default`. */
  readonly usageId?: string;
  /**
   * Members of the wire's agent object that are only kept, for others who read the description; but a `filter_tools_regex`
   * holds: of the tools, built-in ones aside, those are offered whose names match it from their first character on.
   */
  readonly description?: JsonObject;
}

const NAMES: OptionNames<AgentOptions> = {
  model: true,
  tools: true,
  systemPrompt: true,
  systemSuffix: true,
  skills: true,
  userSuffix: true,
  profiles: true,
  includeDefaultTools: true,
  responseSchema: true,
  toolTimeout: true,
  toolConcurrency: true,
  condenser: true,
  usageId: true,
  description: true,
};

/**
 * An agent: a model, tools and a prompt, for any number of conversations. Throws {@link AgentError} `DUPLICATE_TOOL`,
 * `DUPLICATE_SKILL` or `INVALID_OPTION`, and `TypeError` for a model of another version of the AI SDK's provider interface.
 *
 * @example
 * ```ts
 * import { createAgent, modelFromEnvironment } from '@conv/agent';
 *
 * export const agent = createAgent({ model: modelFromEnvironment(), tools: [] });
 * ```
 */
export function createAgent(options: AgentOptions): Agent {
  checkAgentOptions('createAgent', options, NAMES);
  checkAgentParts(options);
  const model = toModel(options.model);
  const { tools = [], usageId = 'default', systemPrompt, systemSuffix } = options;
  const builtIns = options.includeDefaultTools ?? ['FinishTool', 'ThinkTool'];
  const toolTimeout = checkedToolTimeout(options.toolTimeout);
  // Which tools a provider has nobody knows yet.
  if (!tools.some(isToolProvider))
    checkTimedTools(
      toolTimeout,
      [...tools, ...builtIns.map((builtIn) => builtInTools[builtIn]), ...switchTools(options.profiles)].map(
        ({ name }) => name,
      ),
    );
  return agentOf({
    model,
    usageId,
    tools,
    builtIns,
    response: responseOption(options.responseSchema, builtIns),
    systemPrompt,
    systemSuffix,
    profiles: options.profiles,
    skills: skillsOf(options),
    userSuffix: options.userSuffix,
    condenser: condenserOf(options),
    toolTimeout,
    toolConcurrency: concurrencyOf(options),
    extra: options.description ?? {},
  });
}

/** A condenser that is only described is another program's. */
function condenserOf({ condenser, description }: AgentOptions): Condenser | undefined {
  if (condenser !== undefined) return condenser ?? undefined;
  return description !== undefined && 'condenser' in description ? undefined : llmSummarizingCondenser();
}

function responseOption(
  schema: ResponseSchema | undefined,
  builtIns: readonly BuiltInTool[],
): ResponseTool | undefined {
  if (schema === undefined) return undefined;
  if (!builtIns.includes('FinishTool'))
    throw new AgentError('INVALID_OPTION', 'responseSchema needs FinishTool, which includeDefaultTools leaves out');
  return responseTool(schema, 'INVALID_OPTION', 'responseSchema');
}

/** What a description alone says holds, too: otherwise the agent would be another one when it is built from it. */
function concurrencyOf({ toolConcurrency, description = {} }: AgentOptions): number {
  const limit = toolConcurrency === undefined ? (description[TOOL_CONCURRENCY] ?? undefined) : toolConcurrency;
  return checkedToolConcurrency(limit, 'INVALID_OPTION', 'toolConcurrency');
}

/** As for the concurrency. */
function skillsOf({ skills, description = {} }: AgentOptions): readonly Skill[] {
  return checkedSkills(skills ?? skillsOfDescription(description, 'INVALID_OPTION'));
}

/** The agent of these parts. Throws {@link AgentError} `DUPLICATE_TOOL`, and `INVALID_OPTION` or `INVALID_DESCRIPTION`. */
export function agentOf(parts: Described): Agent {
  const description = describeAgent(parts);
  const filter = toolFilterOf(description, parts.stored ? 'INVALID_DESCRIPTION' : 'INVALID_OPTION');
  const builtIns = [...builtInsOf(parts), ...invokeSkillTools(parts.skills)];
  const switches = switchTools(parts.profiles);
  const given = parts.tools.filter((source) => !isToolProvider(source));
  ensureFree(given);
  const known = [...filter(given), ...builtIns, ...switches];
  ensureDistinct(known);
  const providers = parts.tools.filter(isToolProvider);
  const { model, usageId, systemPrompt: prompt = DEFAULT_SYSTEM_PROMPT, systemSuffix: suffix } = parts;
  const { condenser, skills, toolTimeout, toolConcurrency } = parts;
  const agent: Agent = {
    tools: () => parts.tools,
    toolNames: known.map(({ name }) => name),
    secretValues: () => [
      ...new Set([
        ...keysOf(model),
        ...(condenser?.secretValues?.() ?? []),
        ...providers.flatMap((provider) => provider.secretValues?.() ?? []),
        ...secretValuesOf(description),
      ]),
    ],
    describe: ({ secrets = 'redacted', cipher } = {}) => mapSecrets(description, secretWriter(secrets, cipher)),
    start: async (session, { signal } = {}) => {
      rememberCaller(session, parts);
      const named = parts.profiles && switchTools(parts.profiles, await namesOf(parts.profiles));
      const all = { sources: parts.tools, builtIns: [...builtIns, ...(named ?? [])], filter };
      const made = await makeTools(all, session, signal);
      const startedAt = new Date();
      const memory = wantsMemory(description) ? await memoryBlock(session.workingDirectory) : undefined;
      const limits = { toolTimeout, toolConcurrency, mustFinish: parts.response !== undefined };
      return createSession({
        model,
        usageId,
        condenser,
        prompt,
        suffix,
        skills,
        made,
        session,
        startedAt,
        memory,
        ...limits,
      });
    },
    ...(enrichesMessages(parts) ? { enrich: (text, { activated }) => enrich(parts, text, activated) } : {}),
    withModel: (other) => agentOf(withModel(parts, toModel(other))),
  };
  return rememberParts(agent, parts);
}

function builtInsOf({ builtIns, response }: Described): readonly Tool[] {
  return builtIns.map((name) => (name === 'FinishTool' ? (response?.tool ?? finishTool) : builtInTools[name]));
}

function switchTools(profiles: SwitchProfiles | undefined, names: readonly string[] = []): readonly Tool[] {
  return profiles === undefined ? [] : [switchLlmTool(profiles, names)];
}

function withModel(parts: Described, model: Model): Described {
  const { stored, condenser } = parts;
  if (!stored) return { ...parts, model };
  const llm = describeModel(model, parts.usageId);
  const kept = condenser && { condenser: { ...(stored['condenser'] as JsonObject), ...condenser.describe(llm) } };
  return { ...parts, model, stored: { ...stored, llm, ...kept } };
}
