import type { JsonObject } from '@conv/core';
import { AgentError } from '../base/agent-error.ts';
import { defined } from '../base/defined.ts';
import type { AgentDefinition } from './agent-definition.ts';
import { INHERIT } from './build-sub-agent.ts';

/**
 * Returns a sub-agent as OpenHands' servers and clients describe it. A tool list that is left out is empty there. Throws {@link AgentError}
 * `INVALID_AGENT` for a complete agent, which has no such form.
 */
export function describeAgentDefinition(definition: AgentDefinition): JsonObject {
  const { name, description, systemPrompt = '', tools = [], skills = [], model = INHERIT, extra } = definition;
  if (definition.agent !== undefined)
    throw new AgentError(
      'INVALID_AGENT',
      `agent ${JSON.stringify(name)}: expected a definition, found a complete agent, which cannot be described; leave agent out`,
    );
  const { mcpServers } = definition;
  return {
    ...extra,
    name,
    description,
    model,
    tools: [...tools],
    skills: [...skills],
    system_prompt: systemPrompt,
    ...defined({
      permission_mode: definition.permissionMode,
      max_iteration_per_run: definition.maxIterations,
      max_budget_per_run: definition.maxBudget,
      hooks: definition.hooks as unknown as JsonObject | undefined,
      condenser: definition.condenser,
      mcp_config: mcpServers === INHERIT ? undefined : (mcpServers as unknown as JsonObject | undefined),
      level: definition.level,
      source: definition.source,
    }),
  };
}

/**
 * Returns a sub-agent as a client sends it with a conversation. There a sub-agent without a list of tools has none, so that it gets those of its
 * caller by name. Throws {@link AgentError} `INVALID_AGENT` for what a server ignores: servers of its own, and a complete agent.
 */
export function sentDefinition(definition: AgentDefinition, callerTools: readonly string[]): JsonObject {
  const { name, mcpServers = INHERIT, tools = callerTools } = definition;
  if (mcpServers !== INHERIT && Object.keys(mcpServers).length > 0)
    throw new AgentError(
      'INVALID_AGENT',
      `agent ${JSON.stringify(name)}: expected the MCP servers of its caller, found servers of its own, which a server ignores; leave mcpServers out`,
    );
  // the folders of this machine are nothing to the server
  const { mcp_config: _, source: __, level: ___, ...described } = describeAgentDefinition({ ...definition, tools });
  return described;
}
