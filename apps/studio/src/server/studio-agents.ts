import {
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
import { fileEditor, mcpServers, taskTracker, terminal } from '@conv/tools';

/** The agents of studio, or the reason for which there are none. */
export type StudioAgents =
  | { readonly agents: AgentFactory; readonly model: Model; readonly tools: readonly string[] }
  | { readonly reason: string };

/** Returns the tools that agents may have here. A delegating tool gives sub-agents the others. */
function toolRegistry(): ToolRegistry {
  const tools: ToolRegistry = {
    file_editor: () => fileEditor(),
    task_tracker: () => taskTracker(),
    terminal: () => terminal(),
  };
  const delegating = { tools, mcp: mcpServers };
  const task = (): ReturnType<typeof taskTool> => taskTool(delegating);
  return { ...tools, task, task_tool_set: task, delegate: () => delegateTool(delegating) };
}

/**
 * Makes agents whose model is the environment's (`LLM_MODEL`, `LLM_API_KEY` and the others), whatever model a conversation has stored:
 * its key is known here alone. Without a model studio only shows what there is.
 */
export function studioAgents(environment: Environment): StudioAgents {
  let model: Model;
  try {
    model = modelFromEnvironment(environment);
  } catch (error) {
    if (!isLlmError(error)) throw error;
    return { reason: `Read-only, because no model is configured: ${error.text}. Set it and start studio again.` };
  }
  const tools = toolRegistry();
  const agents = createAgentFactory({ tools, mcp: mcpServers, model: () => model, leaveOut: () => {} });
  return { agents, model, tools: Object.keys(tools) };
}

/** Agents of a server that takes no commands: it builds none. */
export const noAgents: AgentFactory = { revive: async () => undefined };
