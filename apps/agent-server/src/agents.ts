import {
  type AgentFactoryOptions,
  createAgentFactory,
  delegateTool,
  type ModelProfiles,
  type SubAgentsOptions,
  taskTool,
  type ToolRegistry,
} from '@conv/agent';
import type { AgentFactory } from '@conv/core';
import { fileEditor, mcpServers, taskTracker, terminal } from '@conv/tools';

const own: ToolRegistry = {
  terminal: () => terminal(),
  file_editor: () => fileEditor(),
  task_tracker: () => taskTracker(),
};

const sources: SubAgentsOptions = { tools: own, mcp: mcpServers };

const registry: ToolRegistry = {
  ...own,
  task: () => taskTool(sources),
  task_tool_set: () => taskTool(sources),
  delegate: () => delegateTool(sources),
};

/** Names of the tools that agents may have here, as clients ask for them. */
export const toolNames: readonly string[] = Object.keys(registry);

/** Builds the agents that clients describe, from their models, tools, MCP servers and skills. */
export function agentsWith(
  profiles: ModelProfiles,
  told: Required<Pick<AgentFactoryOptions, 'leaveOut' | 'unreadable'>>,
): AgentFactory {
  return createAgentFactory({ tools: registry, mcp: mcpServers, profiles, ...told });
}
