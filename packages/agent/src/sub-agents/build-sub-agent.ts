import type { Agent } from '@conv/core';
import type { ToolProvider, ToolSource } from '@conv/core/tool';
import { AgentError } from '../base/agent-error.ts';
import type { ToolRegistry } from '../assembly/agent-factory.ts';
import { agentOf } from '../assembly/create-agent.ts';
import { describeAgent, type Described } from '../assembly/describe.ts';
import type { ModelProfiles } from '../model/sources/model-profiles.ts';
import type { Model } from '../model/model.ts';
import type { Skill } from '../skills/skill.ts';
import { isToolProvider } from '../tools/is-tool-provider.ts';
import { TOOL_FILTER } from '../tools/tool-filter.ts';
import { defined } from '../base/defined.ts';
import type { AgentDefinition } from './agent-definition.ts';
import { START_CHILD } from './start-child-tool.ts';
import { subAgentCondenser } from './sub-agent-condenser.ts';

/** The parts of sub-agents beside the parts of the calling agent. */
export interface SubAgentSources {
  /** Tools that definitions may name and the calling agent does not have. Default none. */
  readonly tools?: ToolRegistry;
  /** Loads the models that definitions name. Needed if a definition names one. */
  readonly profiles?: Pick<ModelProfiles, 'load'>;
  /** Makes the provider of a definition's MCP servers, such as `mcpServers` of `@conv/tools`, if one has servers. */
  readonly mcp?: (config: Readonly<Record<string, object>>) => ToolProvider;
}

/** The model name that stands for the model of the calling agent. */
export const INHERIT = 'inherit';

/** Tools that give work to other agents. A sub-agent gets them only if its definition names them. */
const CALLING: ReadonlySet<string> = new Set(['task', 'delegate', START_CHILD]);

/** Names under which OpenHands' definitions list tools that have another name in calls. */
const OTHER_NAMES: ReadonlyMap<string, string> = new Map([['task_tool_set', 'task']]);

/** True if a tool gives work to other agents. */
export function isCalling(tool: string): boolean {
  return CALLING.has(knownAs(tool));
}

/** Returns the name of a tool in calls. */
export function knownAs(tool: string): string {
  return OTHER_NAMES.get(tool) ?? tool;
}

/**
 * Builds the agent of a definition, like `caller` in everything that the definition leaves out. Rejects {@link
 * AgentError} `INVALID_AGENT` for a tool, a skill or a source that is missing, and as loading its model does.
 */
export async function buildSubAgent(
  definition: AgentDefinition,
  caller: Described,
  sources: SubAgentSources,
): Promise<Agent> {
  const { response: _response, stored: _stored, ...own } = caller;
  return agentOf({
    ...own,
    model: await modelOf(definition, caller, sources),
    tools: toolsOf(definition, caller, sources),
    builtIns: ['FinishTool', 'ThinkTool'],
    response: undefined,
    hasMemory: false,
    systemSuffix: [own.systemSuffix, definition.systemPrompt].filter(isSaid).join('\n\n') || undefined,
    skills: skillsOf(definition, caller),
    condenser: await subAgentCondenser(definition, own.condenser),
    // the caller's filter of tools holds for its sub-agents, too
    extra: defined({ [TOOL_FILTER]: describeAgent(caller)[TOOL_FILTER] }),
  });
}

async function modelOf(
  { name, model = INHERIT }: AgentDefinition,
  caller: Described,
  { profiles }: SubAgentSources,
): Promise<Model> {
  if (model === INHERIT) return caller.model;
  if (profiles === undefined)
    throw invalid(
      name,
      `model: expected a configured profile, found ${JSON.stringify(model)} and no profiles; give the option profiles`,
    );
  return profiles.load(model);
}

function toolsOf(
  { name, tools: wanted, mcpServers }: AgentDefinition,
  caller: Described,
  { tools: registry = {}, mcp }: SubAgentSources,
): (ToolSource | ToolProvider)[] {
  const inheritsServers = mcpServers === undefined || mcpServers === INHERIT;
  const isInherited = (source: ToolSource | ToolProvider): boolean =>
    isToolProvider(source) ? inheritsServers : !CALLING.has(source.name);
  const chosen =
    wanted === undefined
      ? caller.tools.filter(isInherited)
      : wanted.map((named) => {
          const tool = knownAs(named);
          const source = caller.tools.find((known) => !isToolProvider(known) && known.name === tool);
          const made = Object.hasOwn(registry, tool) ? registry[tool]?.({}) : undefined;
          const found = source ?? made;
          if (found === undefined)
            throw invalid(name, `tools: expected tools of this agent, found ${JSON.stringify(tool)}`);
          return found;
        });
  if (mcpServers === INHERIT && wanted !== undefined) return [...chosen, ...caller.tools.filter(isToolProvider)];
  if (inheritsServers || Object.keys(mcpServers).length === 0) return chosen;
  if (mcp === undefined)
    throw invalid(name, 'mcp_servers: this agent cannot connect to MCP servers; give the option mcp');
  return [...chosen, mcp(mcpServers)];
}

function skillsOf({ name, skills: wanted = [] }: AgentDefinition, caller: Described): readonly Skill[] {
  return wanted.map((skill) => {
    const found = caller.skills.find((known) => known.name === skill);
    if (found === undefined)
      throw invalid(name, `skills: the agent that calls it has no ${JSON.stringify(skill)}; give it the skill`);
    return found;
  });
}

function isSaid(text: string | undefined): text is string {
  return text !== undefined && text.trim() !== '';
}

function invalid(name: string, what: string): AgentError {
  return new AgentError('INVALID_AGENT', `agent ${JSON.stringify(name)}: ${what}`);
}
