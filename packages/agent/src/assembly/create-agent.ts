import { checkAgentOptions } from '../base/check-agent-options.ts';
import { checkAgentParts } from './check-agent-parts.ts';
import type { LanguageModelV4 } from '@ai-sdk/provider';
import { type Agent, type OptionNames } from '@conv/core';
import type { JsonObject } from '@conv/core/events';
import { type Platform, systemPlatform } from '@conv/core/platform';
import type { Tool, ToolProvider, ToolSource } from '@conv/core/tool';
import { descriptionSecrets } from '@conv/openhands/descriptions';
import type { Condenser } from '../condensers/condenser.ts';
import { CallLimits } from '../calls/call-limits.ts';
import { llmSummarizingCondenser } from '../condensers/llm-summarizing-condenser.ts';
import { keysOf } from '../model/keys-of.ts';
import type { ModelProfiles } from '../model/sources/model-profiles.ts';
import { type Model, toModel } from '../model/model.ts';
import { checkedSkills } from '../skills/check-skills.ts';
import { enrich, enrichesMessages } from '../skills/enrich.ts';
import { invokeSkillTools } from '../skills/invoke-skill.ts';
import type { Skill } from '../skills/skill.ts';
import { skillsOfContext } from '../skills/wire-skills.ts';
import { type BuiltInTool, builtInTools, finishTool } from '../tools/built-in-tools.ts';
import { ensureDistinct, ensureFree } from '../tools/ensure-distinct.ts';
import { isToolProvider } from '../tools/is-tool-provider.ts';
import { makeTools } from '../tools/make-tools.ts';
import { type ResponseSchema, type ResponseTool, responseTool } from '../tools/response-tool.ts';
import { namesOf, switchLlmTool, type SwitchProfiles } from '../tools/switch-llm.ts';
import { sentSubAgents } from '../tools/sent-sub-agents.ts';
import { TOOL_FILTER, toolFilterOf } from '../tools/tool-filter.ts';
import { AgentError } from '../base/agent-error.ts';
import { rememberCaller, rememberParts } from './agent-parts.ts';
import { createSession } from './agent-session.ts';
import { storedAgent } from './stored-agent.ts';
import { describeAgent, type Described } from './describe.ts';
import { describeModel } from '../model/sources/describe-model.ts';
import { memoryBlock } from '../step/memory.ts';
import { checkedToolConcurrency, TOOL_CONCURRENCY } from '../tools/tool-concurrency.ts';
import { checkedToolTimeout, checkTimedTools, type ToolTimeout } from '../tools/tool-timeout.ts';

/** Options of {@link createAgent}. */
export interface AgentOptions {
  /** A {@link Model}, or a model of any AI SDK provider. */
  readonly model: Model | LanguageModelV4;
  /**
   * Tools in the order in which the model sees them. Built-in tools follow, then the tools of providers, such as `mcpServers` of
   * `@conv/tools`. The tools of a provider are known when a conversation needs them, and may change from one step to the next.
   * Default none.
   */
  readonly tools?: readonly (ToolSource | ToolProvider)[];
  /** The system prompt. Default: a prompt for work with tools. */
  readonly systemPrompt?: string;
  /** Text after the part of the system prompt that names the conversation's folder and the date. */
  readonly systemSuffix?: string;
  /**
   * Knowledge and instructions, for example from {@link loadSkills}. Skills without a trigger are in the system prompt, and so is a
   * list of the skills that the model may read with `invoke_skill`. Other skills come with the messages that trigger them. Up to
   * 512 KiB of text. Default none.
   */
  readonly skills?: readonly Skill[];
  /** Text appended to every message of the user, visible in its event. Default none. */
  readonly userSuffix?: string;
  /** Models by name that the agent may hand over to with `switch_llm`, see {@link modelProfiles}. Default: none. */
  readonly profiles?: Pick<ModelProfiles, 'list' | 'load'>;
  /** Built-in tools of the agent. Default both. Without `FinishTool` only a text ends a run. */
  readonly includeDefaultTools?: readonly BuiltInTool[];
  /**
   * The schema of the answer of a run: a zod object or a JSON Schema of an object. The finish tool then takes the
   * answer, and {@link responseOf} reads it. If an answer does not fit, the model is told what is wrong with it. If the
   * model answers in words, it is told to call finish, at most twice for each message of the user. A stored agent keeps
   * what a JSON Schema can express, but no refinements. Default: the answer is a text.
   */
  readonly responseSchema?: ResponseSchema;
  /**
   * Milliseconds above 0 after which a tool call is abandoned and counts as failed. Give one limit, or limits by the names of
   * tools, such as `{ terminal: 600_000 }`. A conversation may set a shorter limit. Default: none, so only an interrupt ends a
   * call.
   */
  readonly toolTimeout?: ToolTimeout;
  /**
   * The number of calls of one response that may run at the same time, a whole number from 1. Calls that need the same
   * resource exclusively, see `Tool.resources`, run one after the other regardless. A tool that does not name its
   * resources runs one call at a time. Default 1: one call after the other.
   */
  readonly toolConcurrency?: number;
  /**
   * Shortens the history for the model when it becomes too long; `null`: no condenser, so the agent fails when the history exceeds
   * the model's context. Default `llmSummarizingCondenser()`.
   */
  readonly condenser?: Condenser | null;
  /** The name under which the calls of a model are counted if the model names none itself. Default `default`. */
  readonly usageId?: string;
  /**
   * Further members of the wire's agent object, stored for other programs that read the description. Only `filter_tools_regex` has
   * an effect: apart from the built-in tools, only tools whose names match it from the first character on are offered.
   */
  readonly description?: JsonObject;
  /** Clocks, timers, random numbers and ids, also for model calls. Default: those of the host. */
  readonly platform?: Platform;
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
  platform: true,
};

/**
 * Creates an agent from a model, tools and a prompt, for any number of conversations. Throws {@link AgentError} `DUPLICATE_TOOL`,
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
  const { tools = [], usageId = 'default', systemPrompt, systemSuffix, platform = systemPlatform } = options;
  const builtIns = options.includeDefaultTools ?? ['FinishTool', 'ThinkTool'];
  const toolTimeout = checkedToolTimeout(options.toolTimeout);
  // A provider's tools are not known yet, so the names in the limits cannot be checked against them.
  if (!tools.some(isToolProvider))
    checkTimedTools(toolTimeout, [
      ...tools,
      ...builtIns.map((builtIn) => builtInTools[builtIn]),
      ...switchTools(options.profiles),
    ]);
  const kept = storedAgent(options.description ?? {});
  // a member of the description applies unless an option overrides it, so that a revived agent is the same
  const { skills = skillsOfContext(kept.agent_context, 'INVALID_OPTION') } = options;
  const { toolConcurrency = kept[TOOL_CONCURRENCY] ?? undefined } = options;
  return agentOf({
    model,
    usageId,
    tools,
    builtIns,
    response: responseOption(options.responseSchema, builtIns),
    systemPrompt,
    systemSuffix,
    profiles: options.profiles,
    skills: checkedSkills(skills),
    userSuffix: options.userSuffix,
    condenser: condenserOf(options),
    toolTimeout,
    toolConcurrency: checkedToolConcurrency(toolConcurrency, 'INVALID_OPTION', 'toolConcurrency'),
    hasMemory: kept.agent_context.load_memory === true,
    filter: toolFilterOf(kept[TOOL_FILTER], 'INVALID_OPTION'),
    extra: options.description ?? {},
    platform,
  });
}

/** Returns the condenser of the options. A condenser that is only described belongs to another program. */
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
    throw new AgentError(
      'INVALID_OPTION',
      'responseSchema needs FinishTool, which includeDefaultTools leaves out; include it',
    );
  return responseTool(schema, 'INVALID_OPTION', 'responseSchema');
}

/** Builds the agent of these parts. Throws `DUPLICATE_TOOL` and `INVALID_OPTION`. */
export function agentOf(parts: Described): Agent {
  const description = describeAgent(parts);
  const { filter } = parts;
  const builtIns = [...builtInsOf(parts), ...invokeSkillTools(parts.skills)];
  const switches = switchTools(parts.profiles);
  const given = parts.tools.filter((source) => !isToolProvider(source));
  ensureFree(given);
  const known = [...filter(given), ...builtIns, ...switches];
  ensureDistinct(known);
  const providers = parts.tools.filter(isToolProvider);
  const agent: Agent = {
    tools: () => parts.tools,
    toolNames: known.map(({ name }) => name),
    secretValues: () => [
      ...new Set([
        ...keysOf(parts.model),
        ...(parts.condenser?.secretValues?.() ?? []),
        ...providers.flatMap((provider) => provider.secretValues?.() ?? []),
        ...descriptionSecrets.secretValuesOf(description),
      ]),
    ],
    subAgents: () => sentSubAgents(parts.tools),
    describe: ({ secrets = 'redacted', cipher } = {}) =>
      descriptionSecrets.mapSecrets(description, descriptionSecrets.secretWriter(secrets, cipher)),
    start: async (given, { signal } = {}) => {
      const limits = new CallLimits(parts.platform);
      const session = limits.watch(given);
      rememberCaller(session, parts);
      const named = parts.profiles && switchTools(parts.profiles, await namesOf(parts.profiles));
      const all = { sources: parts.tools, builtIns: [...builtIns, ...(named ?? [])], filter };
      const made = await makeTools(all, session, signal);
      const startedAt = new Date(parts.platform.now());
      // with an executor the folder is another machine's
      const memory = parts.hasMemory && !session.executor ? await memoryBlock(session.workingDirectory) : undefined;
      return createSession(parts, { made, session, limits, startedAt, memory });
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
  const kept = condenser && { condenser: { ...storedAgent(stored).condenser, ...condenser.describe(llm) } };
  return { ...parts, model, stored: { ...stored, llm, ...kept } };
}
