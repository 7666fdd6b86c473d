import type { Json, JsonObject } from '@conv/core';
import { defined } from '../base/defined.ts';
import type { AgentDefinition } from '../sub-agents/agent-definition.ts';

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
