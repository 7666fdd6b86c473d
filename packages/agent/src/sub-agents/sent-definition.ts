import { keptJson, type JsonObject } from '@conv/core';
import { isJsonObject } from '@conv/core/platform';
import { z } from 'zod';
import { AgentError } from '../base/agent-error.ts';
import { defined } from '../base/defined.ts';
import { firstProblem } from '../base/first-problem.ts';
import type { AgentDefinition } from './agent-definition.ts';

const object = z.custom<JsonObject>(isJsonObject, 'must be an object').nullish();

/** A definition in the form of OpenHands' clients. Members that have no effect here are not read. */
const sentSchema = z.object({
  name: z.string(),
  description: z.string().nullish(),
  system_prompt: z.string().nullish(),
  tools: z.array(z.string()).nullish(),
  skills: z.array(z.string()).nullish(),
  model: z.string().nullish(),
  permission_mode: z.enum(['always_confirm', 'confirm_risky', 'never_confirm']).nullish(),
  max_iteration_per_run: z.number().int().min(1).nullish(),
  max_budget_per_run: z.number().positive().nullish(),
  hooks: object,
  condenser: object,
});

/**
 * Reads a definition that a client sent with its conversation. As on OpenHands' server, it has only the tools that it names, the
 * MCP servers of its caller, and a profile's name may end in `.json`. Throws {@link AgentError} `INVALID_AGENT` that names the
 * member.
 */
export function readSentDefinition(sent: JsonObject): AgentDefinition {
  const read = sentSchema.safeParse(sent);
  if (!read.success)
    throw new AgentError('INVALID_AGENT', `agent ${JSON.stringify(sent['name'])}: ${firstProblem(read.error)}`, {
      cause: read.error,
    });
  const { name, description, model, hooks, condenser } = read.data;
  return {
    name,
    // OpenHands' server lists a sub-agent without a description, and a model can choose it by its name
    description: description?.trim() ? description : name,
    tools: read.data.tools ?? [],
    mcpServers: 'inherit',
    ...defined({
      systemPrompt: read.data.system_prompt || undefined,
      skills: read.data.skills ?? undefined,
      model: model?.replace(/\.json$/, '') || undefined,
      permissionMode: read.data.permission_mode ?? undefined,
      maxIterations: read.data.max_iteration_per_run ?? undefined,
      maxBudget: read.data.max_budget_per_run ?? undefined,
      hooks: hooks ? keptJson<'hooks'>(hooks) : undefined,
      condenser: condenser ?? undefined,
    }),
  };
}
