import type { ContentPart } from '@conv/core/events';
import { readLimits } from '../act/limits-fields.tsx';
import { toLlm } from '../act/model-fields.tsx';
import { parseTags } from '../act/tags-text.ts';
import type { WholeForm } from './start-form.ts';

/** Returns the request that starts a conversation. */
export function startRequest(id: string, form: WholeForm, content: readonly ContentPart[]): object {
  const limits = readLimits(form.limits);
  const tags = parseTags(form.tags);
  if (typeof limits === 'string') throw new TypeError(limits);
  if (typeof tags === 'string') throw new TypeError(tags);
  return {
    conversation_id: id,
    workspace: { kind: 'LocalWorkspace', working_dir: form.workspace },
    ...agentOf(form),
    initial_message: { role: 'user', content, run: true },
    confirmation_policy: { kind: form.policy },
    ...(form.policy === 'ConfirmRisky' ? { security_analyzer: { kind: 'LLMSecurityAnalyzer' } } : {}),
    max_iterations: limits.maxIterations,
    // OpenHands' server has no such members, so a limit that is not set is not sent
    ...(limits.maxBudgetPerRun === null ? {} : { max_budget_per_run: limits.maxBudgetPerRun }),
    ...(limits.maxBudget === null ? {} : { max_budget: limits.maxBudget }),
    ...(limits.toolTimeout === null ? {} : { tool_timeout: limits.toolTimeout }),
    tags,
    autotitle: form.title.trim() === '',
  };
}

function agentOf({ agent, model, tools }: WholeForm): object {
  if ('profile' in agent) return { agent_profile_id: agent.profile };
  return {
    agent_settings: {
      llm: toLlm(model),
      ...(tools === undefined ? {} : { tools: tools.map((name) => ({ name, params: {} })) }),
    },
  };
}
