import type { JsonObject } from '@conv/core/events';
import { z } from 'zod';
import { absent, boolean, described, integer, named, number, oneOf } from '../schema/index.ts';
import { otherKindSchema } from './other-kind.ts';

/** Limits for trying again after a critic refuses an answer. */
const iterativeRefinementConfigSchema = described('IterativeRefinementConfig', {
  max_iterations: absent(integer({ minimum: 1 }), 3),
  success_threshold: absent(number({ minimum: 0, maximum: 1 }), 0.6),
});

function commonMembers(kind: string): z.core.$ZodLooseShape {
  return {
    iterative_refinement: absent(z.nullable(iterativeRefinementConfigSchema)),
    kind: z.literal(kind),
    mode: absent(z.enum(['finish_and_message', 'all_actions']), 'finish_and_message'),
  };
}

/** Passes what ends with a finish. */
const agentFinishedCriticSchema = described('AgentFinishedCritic', commonMembers('AgentFinishedCritic'));

/** Asks a service. */
const apiBasedCriticSchema = described('APIBasedCritic', {
  agent_issue_labels: absent(z.array(z.string()), [
    'misunderstood_intention',
    'did_not_follow_instruction',
    'insufficient_analysis',
    'insufficient_clarification',
    'improper_tool_use_or_setup',
    'loop_behavior',
    'insufficient_testing',
    'insufficient_debugging',
    'incomplete_implementation',
    'file_management_errors',
    'scope_creep',
    'risky_actions_or_permission',
    'other_agent_issue',
  ]),
  api_key: z.string(),
  has_success_label: absent(boolean(), true),
  infra_labels: absent(z.array(z.string()), ['infrastructure_external_issue', 'infrastructure_agent_caused_issue']),
  issue_threshold: absent(number({ minimum: 0, maximum: 1 }), 0.75),
  ...commonMembers('APIBasedCritic'),
  model_name: absent(z.string(), 'critic'),
  pass_tools_definitions: absent(boolean(), true),
  sentiment_labels: absent(z.array(z.string()), ['sentiment_positive', 'sentiment_neutral', 'sentiment_negative']),
  sentiment_map: absent(z.record(z.string(), z.string()), {
    Negative: 'sentiment_negative',
    Neutral: 'sentiment_neutral',
    Positive: 'sentiment_positive',
  }),
  server_url: absent(z.string(), 'https://llm-proxy.app.all-hands.dev/vllm'),
  timeout_seconds: absent(number(), 300),
  tokenizer_name: absent(z.string(), 'Qwen/Qwen3-4B-Instruct-2507'),
  user_followup_labels: absent(z.array(z.string()), [
    'clarification_or_restatement',
    'correction',
    'direction_change',
    'vcs_update_requests',
    'progress_or_scope_concern',
    'frustration_or_complaint',
    'removal_or_reversion_request',
    'other_user_issue',
  ]),
});

/** Refuses an empty change. */
const emptyPatchCriticSchema = described('EmptyPatchCritic', commonMembers('EmptyPatchCritic'));

/** Passes everything. */
const passCriticSchema = described('PassCritic', commonMembers('PassCritic'));

/** Description of the critic that judges the agent's answers. */
export const criticDescriptionSchema = named(
  'CriticBase',
  oneOf<JsonObject>({
    by: 'kind',
    members: {
      AgentFinishedCritic: agentFinishedCriticSchema,
      APIBasedCritic: apiBasedCriticSchema,
      EmptyPatchCritic: emptyPatchCriticSchema,
      PassCritic: passCriticSchema,
    },
    other: otherKindSchema,
    tolerant: true,
  }),
);
