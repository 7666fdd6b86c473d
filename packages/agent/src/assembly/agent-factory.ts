import { checkAgentOptions } from '../base/check-agent-options.ts';
import { type Agent, type AgentFactory, type Cipher, type OptionNames } from '@conv/core';
import { type Platform, systemPlatform } from '@conv/core/platform';
import type { JsonObject } from '@conv/core/events';
import type { ToolProvider, ToolSource } from '@conv/core/tool';
import { descriptionSecrets, type StoredLlm } from '@conv/openhands/descriptions';
import { reviveCondenser } from '../condensers/revive-condenser.ts';
import { isDeeperThan } from '../base/json.ts';
import type { ModelProfiles } from '../model/sources/model-profiles.ts';
import type { Model } from '../model/model.ts';
import { storedModelAlone } from '../model/sources/model-from-description.ts';
import { type ModelSources, PROFILE_USAGE, withStoredFallbacks } from '../model/sources/with-stored-fallbacks.ts';
import { skillsOfContext } from '../skills/wire-skills.ts';
import { type BuiltInTool, isBuiltInTool } from '../tools/built-in-tools.ts';
import { ROUTE_TASK_TOOL } from '../tools/route-task.ts';
import { SWITCH_LLM, type SwitchProfiles } from '../tools/switch-llm.ts';
import { AgentError } from '../base/agent-error.ts';
import { promptOf } from '../step/default-prompt.ts';
import { agentOf } from './create-agent.ts';
import { type ListedTool, type StoredAgent, storedAgent, storedResponse } from './stored-agent.ts';
import { storedMcp } from './stored-mcp.ts';
import { checkedToolConcurrency, TOOL_CONCURRENCY } from '../tools/tool-concurrency.ts';
import { TOOL_FILTER, toolFilterOf } from '../tools/tool-filter.ts';
import { checkedToolTimeout, type ToolTimeout } from '../tools/tool-timeout.ts';

/** Tools by the names under which descriptions list them. */
export type ToolRegistry = Readonly<Record<string, (params: JsonObject) => ToolSource>>;

/** Options of an agent factory. */
export interface AgentFactoryOptions {
  /** Tools that stored agents may have, such as `{ terminal: () => terminalTool() }`. Default none. */
  readonly tools?: ToolRegistry;
  /**
   * Makes the provider of the stored MCP servers, for example `mcpServers` of `@conv/tools`. It gets the servers by
   * name, with their secrets decrypted where the cipher could; a lost secret is ten asterisks. Without this option the
   * factory refuses an agent that has such servers, unless all of them are disabled.
   */
  readonly mcp?: (config: Readonly<Record<string, object>>) => ToolProvider;
  /**
   * Makes the model of a stored LLM object, whose secrets are decrypted if possible. Also called for each fallback. Return
   * `undefined` for the default, {@link storedModel}.
   */
  readonly model?: (llm: JsonObject) => Model | undefined | Promise<Model | undefined>;
  /**
   * Profiles for the fallbacks that a description names; a fallback that has no profile is left out with a process
   * warning. With `list` they are also the models that an agent described with `SwitchLLMTool` may hand over to.
   * Without `list` such an agent does not get that tool.
   */
  readonly profiles?: Pick<ModelProfiles, 'load'> & Partial<Pick<ModelProfiles, 'list'>>;
  /** Limits the calls of tools, as in {@link createAgent}. Descriptions do not contain it. */
  readonly toolTimeout?: ToolTimeout;
  /**
   * Called with each tool that a description lists and `tools` lacks. The agent is built without the tool, and its
   * description keeps it. Default: such an agent is refused with `UNKNOWN_TOOL`.
   */
  readonly leaveOut?: (tool: string) => void;
  /**
   * Called with the name of each secret that was encrypted with another key, for example `api_key`. The agent is built
   * without the secret, and its provider will refuse it. Default: nothing is called.
   */
  readonly unreadable?: (secret: string) => void;
  /** Clocks, timers, random numbers and ids of the agents. Default: those of the host. */
  readonly platform?: Platform;
}

const NAMES: OptionNames<AgentFactoryOptions> = {
  tools: true,
  mcp: true,
  model: true,
  profiles: true,
  toolTimeout: true,
  leaveOut: true,
  unreadable: true,
  platform: true,
};

/**
 * Builds agents from stored descriptions, also those of OpenHands. Throws {@link AgentError} `INVALID_OPTION`. `revive` resolves
 * `undefined` for agents of another kind than `Agent`; rejects {@link AgentError} `UNKNOWN_TOOL`, for MCP servers too, or
 * `INVALID_DESCRIPTION`. An agent whose model has no usable key is built all the same; its steps reject `LlmError` `CONFIG`.
 * Unknown members of a description are kept: `describe()` returns them unchanged; a condenser of an unknown kind condenses nothing.
 */
export function createAgentFactory(options: AgentFactoryOptions = {}): AgentFactory {
  checkAgentOptions('createAgentFactory', options, NAMES);
  checkedToolTimeout(options.toolTimeout);
  const { tools = {}, leaveOut } = options;
  return {
    revive: (description, { cipher } = {}) => revive(description, options, cipher),
    ...(leaveOut ? { missingTools: (description) => missingTools(description, tools) } : {}),
  };
}

/** Names among the default tools of a description that are no built-in tools here. */
const LISTED_WITH_DEFAULTS: ReadonlySet<string> = new Set([SWITCH_LLM, ROUTE_TASK_TOOL]);

function missingTools(description: JsonObject, registry: ToolRegistry): readonly string[] {
  const { tools, include_default_tools: defaults = [] } = storedAgent(description);
  const listed = tools.flatMap(({ name }) => (name === undefined || Object.hasOwn(registry, name) ? [] : [name]));
  const builtIns = defaults.filter(
    (name): name is string => typeof name === 'string' && !isBuiltInTool(name) && !LISTED_WITH_DEFAULTS.has(name),
  );
  return [...new Set([...listed, ...builtIns])];
}

/** Limits the nesting of a description; a state does not hold much deeper values. */
const MOST_LEVELS = 180;

async function revive(
  stored: JsonObject,
  {
    tools = {},
    mcp,
    model,
    profiles,
    toolTimeout,
    leaveOut,
    unreadable,
    platform = systemPlatform,
  }: AgentFactoryOptions,
  cipher: Cipher | undefined,
): Promise<Agent | undefined> {
  if (stored['kind'] !== 'Agent') return undefined;
  if (isDeeperThan(MOST_LEVELS, stored))
    throw new AgentError(
      'INVALID_DESCRIPTION',
      `the stored agent: expected at most ${MOST_LEVELS} levels, found more; store a flatter one`,
    );
  const description = descriptionSecrets.mapSecrets(stored, descriptionSecrets.secretReader(cipher, unreadable));
  const agent = storedAgent(description);
  const { llm, condenser, agent_context: context } = agent;
  if (llm === undefined)
    throw new AgentError('INVALID_DESCRIPTION', 'the stored agent: expected a member llm, found none');
  const response = storedResponse(agent);
  const sources = [...toolsOf(agent.tools, tools, leaveOut), ...storedMcp(agent, mcp)];
  const alone: ModelSources['modelOf'] = async (other) => (await model?.(other.stored)) ?? storedModelAlone(other);
  const load = profiles && ((name: string): Promise<Model> => profiles.load(name));
  const modelOf = (other: StoredLlm): Promise<Model> => withStoredFallbacks(other, { modelOf: alone, load });
  const made = await modelOf(llm);
  const { usage_id: usageId = 'default' } = llm;
  // The usage id of a profile belongs to its model: calls of another model must not be counted under it.
  const isOwn = usageId.startsWith(PROFILE_USAGE);
  return agentOf({
    model: isOwn ? { usageId, ...made } : made,
    usageId: isOwn ? 'default' : usageId,
    tools: sources,
    builtIns: builtInsOf(agent),
    profiles: switchProfiles(agent, profiles),
    response,
    systemPrompt: agent.system_prompt ?? promptOf(agent.persona),
    systemSuffix: context.system_message_suffix,
    userSuffix: context.user_message_suffix,
    skills: skillsOfContext(context, 'INVALID_DESCRIPTION'),
    condenser: condenser && (await reviveCondenser(condenser, { llm, modelOf })),
    toolTimeout,
    toolConcurrency: checkedToolConcurrency(
      agent[TOOL_CONCURRENCY] ?? undefined,
      'INVALID_DESCRIPTION',
      `the stored agent's ${TOOL_CONCURRENCY}`,
    ),
    filter: toolFilterOf(agent[TOOL_FILTER], 'INVALID_DESCRIPTION'),
    hasMemory: context.load_memory === true,
    extra: {},
    stored: description,
    platform,
  });
}

function toolsOf(
  listed: readonly ListedTool[],
  registry: ToolRegistry,
  leaveOut: AgentFactoryOptions['leaveOut'],
): readonly ToolSource[] {
  return listed.flatMap(({ name, params }) => {
    if (name === undefined)
      throw new AgentError(
        'INVALID_DESCRIPTION',
        'the stored agent: expected tools with names, found one without; name it',
      );
    const make = Object.hasOwn(registry, name) ? registry[name] : undefined;
    if (make !== undefined) return [make(params)];
    if (leaveOut === undefined) throw unknownTool(name, registry);
    leaveOut(name);
    return [];
  });
}

function unknownTool(name: string, registry: ToolRegistry): AgentError {
  const known = Object.keys(registry).join(', ') || 'none';
  return new AgentError(
    'UNKNOWN_TOOL',
    `the stored agent needs tool ${JSON.stringify(name)}; known tools: ${known}; give the factory this one`,
  );
}

function builtInsOf({ include_default_tools: listed, finish }: StoredAgent): BuiltInTool[] {
  const known = listed?.filter(isBuiltInTool) ?? (['FinishTool', 'ThinkTool'] as const);
  return finish === undefined ? [...known] : ['FinishTool', ...known.filter((name) => name !== 'FinishTool')];
}

function switchProfiles(
  { include_default_tools: listed = [] }: StoredAgent,
  profiles: AgentFactoryOptions['profiles'],
): SwitchProfiles | undefined {
  if (!listed.includes(SWITCH_LLM) || profiles?.list === undefined) return undefined;
  return { list: async () => (await profiles.list?.()) ?? [], load: (name) => profiles.load(name) };
}
