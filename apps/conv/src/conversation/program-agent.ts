import { createAgent, createAgentFactory, delegateTool, type Model, taskTool, type ToolRegistry } from '@conv/agent';
import type { Agent, AgentFactory, Cipher } from '@conv/core';
import type { JsonObject } from '@conv/core/events';
import type { Sandbox } from '@conv/core/tool';
import { fileEditor, type McpConfig, mcpServers, presetTools, taskTracker, terminal } from '@conv/tools';

import type { AgentSettings } from '../config/settings.ts';
import { exitCodes } from '../exit-code.ts';
import { CommandError } from '../command-error.ts';
import { defaultTools, delegating, toolNames } from './tool-names.ts';

/** Creates an agent of this program. Throws {@link CommandError} for a tool that does not exist. */
export function programAgent(model: Model, settings: AgentSettings = {}): Agent {
  const { servers = {}, skills = [], toolConcurrency } = settings;
  const registry = registryFor(settings);
  const made = toolsFor(settings).map((name) => makerOf(registry, name)({}));
  const provided = Object.keys(servers).length === 0 ? [] : [mcpFor(settings)(servers)];
  return createAgent({
    model,
    tools: [...made, ...provided],
    skills,
    ...(toolConcurrency === undefined ? {} : { toolConcurrency }),
  });
}

/** Builds stored agents again, with this model. Their tools, MCP servers and skills come back. */
export function agentsWith(model: Model, settings: AgentSettings): AgentFactory {
  return createAgentFactory({ tools: registryFor(settings), mcp: mcpFor(settings), model: () => model });
}

/** Parts that replace those of a stored agent. */
export interface ResumedParts {
  readonly settings: AgentSettings;
  readonly cipher?: Cipher;
}

/**
 * Rebuilds the agent of a stored conversation with another model and the parts that the settings name. Rejects {@link
 * CommandError}, and `AgentError` as `AgentFactory.revive` does.
 */
export async function resumedAgent(
  stored: JsonObject,
  model: Model,
  { settings, cipher }: ResumedParts,
): Promise<Agent> {
  const anew = programAgent(model, settings).describe({ secrets: 'plain' });
  const wanted = { ...stored, ...membersOf(settings, anew, stored) };
  const agent = await agentsWith(model, settings).revive(wanted, cipher ? { cipher } : {});
  if (agent?.withModel) return agent.withModel(model);
  throw new CommandError(
    exitCodes.agent,
    `agents of kind ${JSON.stringify(stored['kind'])} cannot be built here; use another kind`,
  );
}

/** Returns the tools of an agent; an agent with sub-agents also gets the tools that delegate to them. */
function toolsFor({ tools = defaultTools, agents }: AgentSettings): readonly string[] {
  return agents === undefined ? tools : [...new Set([...tools, ...delegating])];
}

function registryFor(settings: AgentSettings): ToolRegistry {
  const confined = confinedBy(settings);
  const makers = {
    terminal: () => terminal({ ...confined, outside: 'ask' }),
    file_editor: () => fileEditor(confined),
    task_tracker: () => taskTracker(),
  } satisfies Record<(typeof defaultTools)[number], ToolRegistry[string]>;
  const own: ToolRegistry = { ...makers, ...presetTools(confined) };
  const sources = { agents: settings.agents ?? [], tools: own, mcp: mcpFor(settings) };
  return { ...own, task: () => taskTool(sources), delegate: () => delegateTool(sources) };
}

function mcpFor(settings: AgentSettings): (servers: McpConfig) => ReturnType<typeof mcpServers> {
  const { logins } = settings;
  return (servers) => {
    const provider = mcpServers(servers, { ...confinedBy(settings), ...(logins ? { auth: logins.auth } : {}) });
    return logins ? logins.around(provider) : provider;
  };
}

function confinedBy({ sandbox }: AgentSettings): { readonly sandbox?: Sandbox } {
  return sandbox ? { sandbox } : {};
}

/** The members of a new description that settings stand for; of its context the skills alone. */
function membersOf(settings: AgentSettings, anew: JsonObject, stored: JsonObject): JsonObject {
  const contextOf = ({ agent_context: context }: JsonObject): JsonObject => (context ?? {}) as JsonObject;
  return {
    ...((settings.tools || settings.agents) && { tools: settings.tools ? listOf(anew) : joined(stored, anew) }),
    ...(settings.servers && { mcp_config: anew['mcp_config'] ?? {} }),
    ...(settings.skills && { agent_context: { ...contextOf(stored), skills: contextOf(anew)['skills'] ?? [] } }),
    ...(settings.toolConcurrency && { tool_concurrency_limit: settings.toolConcurrency }),
  };
}

function listOf({ tools }: JsonObject): readonly JsonObject[] {
  return (tools ?? []) as readonly JsonObject[];
}

/** The stored tools, and behind them those for sub-agents where there are none yet. */
function joined(stored: JsonObject, anew: JsonObject): readonly JsonObject[] {
  const has = new Set(listOf(stored).map(({ name }) => name));
  const added = listOf(anew).filter(({ name }) => delegating.some((tool) => tool === name) && !has.has(name));
  return [...listOf(stored), ...added];
}

function makerOf(registry: ToolRegistry, name: string): NonNullable<ToolRegistry[string]> {
  const make = Object.hasOwn(registry, name) ? registry[name] : undefined;
  if (make) return make;
  throw new CommandError(
    exitCodes.usage,
    `unknown tool ${JSON.stringify(name)}: expected one of ${toolNames.join(', ')}`,
  );
}
