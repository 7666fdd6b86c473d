import { createAgent, createAgentFactory, type Model, type ToolRegistry } from '@conv/agent';
import type { Agent, Cipher } from '@conv/core';
import type { JsonObject } from '@conv/core/events';
import { fileEditor, mcpServers, taskTracker, terminal } from '@conv/tools';

import type { AgentSettings } from '../config/settings.ts';
import { exitCodes } from '../exit-code.ts';
import { CommandError } from '../failure.ts';

const makers: ToolRegistry = {
  terminal: () => terminal(),
  file_editor: () => fileEditor(),
  task_tracker: () => taskTracker(),
};

/** Names of the tools that an agent of this program may have. */
export const toolNames: readonly string[] = Object.keys(makers);

/** An agent of this program. Throws {@link CommandError} for a tool that does not exist. */
export function demoAgent(model: Model, settings: AgentSettings = {}): Agent {
  const { tools = toolNames, servers = {}, skills = [], toolConcurrency } = settings;
  const made = tools.map((name) => makerOf(name)({}));
  const provided = Object.keys(servers).length === 0 ? [] : [mcpServers(servers)];
  return createAgent({
    model,
    tools: [...made, ...provided],
    skills,
    ...(toolConcurrency === undefined ? {} : { toolConcurrency }),
  });
}

/**
 * The agent that a conversation stored, with another model and what the settings say anew: its tools, MCP servers and skills
 * come back otherwise. Rejects {@link CommandError}, and `AgentError` as `AgentFactory.revive` does.
 */
export async function resumedAgent(
  stored: JsonObject,
  model: Model,
  { settings, cipher }: { readonly settings: AgentSettings; readonly cipher?: Cipher },
): Promise<Agent> {
  const factory = createAgentFactory({ tools: makers, mcp: mcpServers, model: () => model });
  const anew = demoAgent(model, settings).describe({ secrets: 'plain' });
  const agent = await factory.revive({ ...stored, ...membersOf(settings, anew, stored) }, cipher ? { cipher } : {});
  if (agent?.withModel) return agent.withModel(model);
  throw new CommandError(
    exitCodes.agent,
    `an agent of the kind ${JSON.stringify(stored['kind'])} cannot be built here`,
  );
}

/** The members of a new description that settings stand for; of its context the skills alone. */
function membersOf(settings: AgentSettings, anew: JsonObject, stored: JsonObject): JsonObject {
  const contextOf = ({ agent_context: context }: JsonObject): JsonObject => (context ?? {}) as JsonObject;
  return {
    ...(settings.tools && { tools: anew['tools'] ?? [] }),
    ...(settings.servers && { mcp_config: anew['mcp_config'] ?? {} }),
    ...(settings.skills && { agent_context: { ...contextOf(stored), skills: contextOf(anew)['skills'] ?? [] } }),
    ...(settings.toolConcurrency && { tool_concurrency_limit: settings.toolConcurrency }),
  };
}

function makerOf(name: string): ToolRegistry[string] {
  const make = Object.hasOwn(makers, name) ? makers[name] : undefined;
  if (make) return make;
  throw new CommandError(
    exitCodes.usage,
    `no tool is called ${JSON.stringify(name)}; there are ${toolNames.join(', ')}`,
  );
}
