import type { JsonObject } from '@conv/core/events';
import type { Platform } from '@conv/core/platform';
import { isToolFactory, type ToolProvider, type ToolSource } from '@conv/core/tool';
import type { Condenser } from '../condensers/condenser.ts';
import type { Model } from '../model/model.ts';
import { sayable } from '../base/json.ts';
import type { Skill } from '../skills/skill.ts';
import { toWireSkill } from '../skills/wire-skills.ts';
import type { BuiltInTool } from '../tools/built-in-tools.ts';
import type { ResponseTool } from '../tools/response-tool.ts';
import { SWITCH_LLM, type SwitchProfiles } from '../tools/switch-llm.ts';
import { isToolProvider } from '../tools/is-tool-provider.ts';
import { AgentError } from '../base/agent-error.ts';
import { describeModel } from '../model/sources/describe-model.ts';
import { TOOL_CONCURRENCY } from '../tools/tool-concurrency.ts';
import { RESPONSE_SCHEMA } from './stored-agent.ts';
import type { ToolFilter } from '../tools/tool-filter.ts';
import type { ToolTimeout } from '../tools/tool-timeout.ts';
import { defined } from '../base/defined.ts';

/** The parts from which an agent's description is made. */
export interface Described {
  readonly model: Model;
  readonly usageId: string;
  readonly tools: readonly (ToolSource | ToolProvider)[];
  readonly builtIns: readonly BuiltInTool[];
  /** The finish tool with the schema of the agent's answer; `undefined`: the answer is a text. */
  readonly response: ResponseTool | undefined;
  readonly systemPrompt: string | undefined;
  readonly systemSuffix: string | undefined;
  /** The models that the agent may change to by itself; `undefined`: none. */
  readonly profiles?: SwitchProfiles | undefined;
  readonly skills: readonly Skill[];
  readonly userSuffix: string | undefined;
  readonly condenser: Condenser | undefined;
  /** The limits of tool calls. They are not described, because the wire has no member for them. */
  readonly toolTimeout: ToolTimeout | undefined;
  /** The number of calls that may run at the same time. */
  readonly toolConcurrency: number;
  /** Chooses the tools that are offered, as the description asks. */
  readonly filter: ToolFilter;
  /** True if the system prompt has the memory of the user and the project, as the description asks. */
  readonly hasMemory: boolean;
  /** Clocks, timers, random numbers and ids. They are not described. */
  readonly platform: Platform;
  /** Members of the wire's agent object that are kept as they are. */
  readonly extra: JsonObject;
  /** The whole description that the agent was built from, secrets in plain text. `describe()` returns it unchanged. */
  readonly stored?: JsonObject;
}

/** Returns the wire's agent object, secrets in plain text. Throws `INVALID_OPTION` as {@link providedMembers} does. */
export function describeAgent(agent: Described): JsonObject {
  if (agent.stored !== undefined) return agent.stored;
  const { extra, systemPrompt } = agent;
  const llm = describeModel(agent.model, agent.usageId);
  return {
    llm,
    ...describeTools(agent),
    mcp_config: {},
    ...defined({ system_prompt: systemPrompt }),
    system_prompt_filename: 'system_prompt.j2',
    security_policy_filename: 'security_policy.j2',
    system_prompt_kwargs: {},
    ...defined({ condenser: agent.condenser?.describe(llm) }),
    ...extra,
    ...providedMembers(agent.tools.filter(isToolProvider)),
    [TOOL_CONCURRENCY]: agent.toolConcurrency,
    ...contextOf(agent),
    kind: 'Agent',
  };
}

/**
 * Lists the tools of an agent. A finish tool with a schema is listed as a tool with parameters, not as a default tool.
 */
function describeTools({ tools, builtIns, response, profiles }: Described): JsonObject {
  const switches = profiles === undefined ? [] : [SWITCH_LLM];
  const listed = tools.flatMap((source) =>
    isToolProvider(source) ? [] : [{ name: source.name, params: isToolFactory(source) ? sayable(source.params) : {} }],
  );
  if (response === undefined) return { tools: listed, include_default_tools: [...builtIns, ...switches] };
  return {
    tools: [...listed, { name: 'FinishTool', params: { [RESPONSE_SCHEMA]: response.schema } }],
    include_default_tools: [...builtIns.filter((name) => name !== 'FinishTool'), ...switches],
  };
}

/** Returns the agent's `agent_context`: its skills and suffixes over the members that its description has besides. */
function contextOf({ extra, skills, systemSuffix, userSuffix }: Described): JsonObject {
  if (systemSuffix === undefined && userSuffix === undefined && skills.length === 0) return {};
  const context = {
    ...(extra['agent_context'] as JsonObject | undefined),
    ...(skills.length === 0 ? {} : { skills: skills.map(toWireSkill) }),
    ...defined({ system_message_suffix: systemSuffix, user_message_suffix: userSuffix }),
  };
  return { agent_context: context };
}

/** Returns the members that providers describe. Throws if two describe the same: they could not be told apart later. */
function providedMembers(providers: readonly ToolProvider[]): JsonObject {
  const members = providers.flatMap(({ description }) => Object.entries(description));
  const names = members.map(([name]) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined)
    throw new AgentError(
      'INVALID_OPTION',
      `tools: two providers describe ${twice}; give one provider with all of them`,
    );
  return Object.fromEntries(members);
}
