import type { Json, JsonObject } from '@conv/core';
import { AgentError } from '../base/agent-error.ts';
import { defined } from '../base/defined.ts';
import type { AgentDefinition } from './agent-definition.ts';
import { INHERIT } from './build-sub-agent.ts';

/**
 * Returns a sub-agent as OpenHands' servers and clients describe it. A tool list that is left out is empty there. Throws {@link AgentError}
 * `INVALID_AGENT` for a complete agent, which has no such form.
 */
export function describeAgentDefinition(definition: AgentDefinition): JsonObject {
  const { name, mcpServers } = definition;
  if (definition.agent !== undefined)
    throw new AgentError(
      'INVALID_AGENT',
      `agent ${JSON.stringify(name)}: expected a definition, found a complete agent, which cannot be described; leave agent out`,
    );
  return {
    ...definition.extra,
    model: INHERIT,
    tools: [],
    skills: [],
    system_prompt: '',
    ...describeSubAgent(definition),
    ...defined({
      mcp_config: mcpServers === INHERIT ? undefined : (mcpServers as unknown as JsonObject | undefined),
      level: definition.level,
    }),
  };
}

/**
 * Returns a sub-agent in the form in which requests of OpenHands' clients have it, as `agent_definitions`. Members that this form lacks are left
 * out, such as a complete agent and servers of its own.
 */
export function describeSubAgent(definition: AgentDefinition): JsonObject {
  const { name, description, systemPrompt, tools, skills, model, permissionMode, hooks, condenser, source } =
    definition;
  return {
    name,
    description,
    ...defined({
      system_prompt: systemPrompt,
      tools: tools && [...tools],
      skills: skills && [...skills],
      model,
      permission_mode: permissionMode,
      max_iteration_per_run: definition.maxIterations,
      max_budget_per_run: definition.maxBudget,
      hooks: hooks as Json | undefined,
      condenser,
      source,
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
