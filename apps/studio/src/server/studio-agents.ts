import {
  type AgentFactoryOptions,
  createAgentFactory,
  delegateTool,
  type Environment,
  isLlmError,
  type Model,
  modelFromEnvironment,
  taskTool,
  type ToolRegistry,
} from '@conv/agent';
import type { AgentFactory } from '@conv/core';
import type { ChosenSandbox } from '@conv/sandbox';
import { fileEditor, mcpServers, taskTracker, terminal } from '@conv/tools';

/** The agents of studio, or the reason for which there are none. */
export type StudioAgents =
  | { readonly agents: AgentFactory; readonly model: Model; readonly tools: readonly string[] }
  | { readonly reason: string };

/** Returns the tools and MCP servers that agents may have here. A delegating tool gives sub-agents the others. */
function toolRegistry({ sandbox }: ChosenSandbox): Pick<AgentFactoryOptions, 'tools' | 'mcp'> {
  const confined = sandbox ? { sandbox } : {};
  const mcp: AgentFactoryOptions['mcp'] = (servers) => mcpServers(servers, confined);
  const tools: ToolRegistry = {
    file_editor: () => fileEditor(confined),
    task_tracker: () => taskTracker(),
    terminal: () => terminal({ ...confined, outside: 'ask' }),
  };
  const delegating = { tools, mcp };
  const task = (): ReturnType<typeof taskTool> => taskTool(delegating);
  const delegate = (): ReturnType<typeof delegateTool> => delegateTool(delegating);
  return { tools: { ...tools, task, task_tool_set: task, delegate }, mcp };
}

/**
 * Makes agents whose model is the environment's (`LLM_MODEL`, `LLM_API_KEY` and the others), whatever model a conversation has stored:
 * its key is known here alone. Without a model studio only shows what there is.
 */
export function studioAgents(environment: Environment, chosen: ChosenSandbox): StudioAgents {
  let model: Model;
  try {
    model = modelFromEnvironment(environment);
  } catch (error) {
    if (!isLlmError(error)) throw error;
    return { reason: `Read-only, because no model is configured: ${error.text}. Set it and start studio again.` };
  }
  const registry = toolRegistry(chosen);
  const agents = createAgentFactory({ ...registry, model: () => model, leaveOut: () => {} });
  return { agents, model, tools: Object.keys(registry.tools ?? {}) };
}

/** Agents of a server that takes no commands: it builds none. */
export const noAgents: AgentFactory = { revive: async () => undefined };
