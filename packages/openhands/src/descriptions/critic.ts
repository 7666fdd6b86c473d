import { z } from 'zod';
import { absent } from '../schema/kept-member.ts';
import { oneOf } from '../schema/one-of.ts';
import { named } from '../schema/named.ts';
import { kept } from '../schema/objects.ts';
import { boolean, integer, number } from '../schema/scalars.ts';
import { type OtherKind, otherKindSchema } from './other-kind.ts';

/** How often an answer that a critic refuses is tried again. */
export interface IterativeRefinementConfig {
  readonly max_iterations?: number;
  readonly success_threshold?: number;
}

const iterativeRefinementConfigSchema: z.ZodType<IterativeRefinementConfig> = named(
  'IterativeRefinementConfig',
  kept({
    max_iterations: absent(integer({ minimum: 1 }), 3),
    success_threshold: absent(number({ minimum: 0, maximum: 1 }), 0.6),
  }),
);

/** Passes what ends with a finish. */
export interface AgentFinishedCritic {
  readonly iterative_refinement?: IterativeRefinementConfig | null;
  readonly kind: 'AgentFinishedCritic';
  readonly mode?: 'finish_and_message' | 'all_actions';
}

const agentFinishedCriticSchema: z.ZodType<AgentFinishedCritic> = named(
  'AgentFinishedCritic',
  kept({
    iterative_refinement: absent(z.nullable(iterativeRefinementConfigSchema)),
    kind: z.literal('AgentFinishedCritic'),
    mode: absent(z.enum(['finish_and_message', 'all_actions']), 'finish_and_message'),
  }),
);

/** Asks a service. */
export interface ApiBasedCritic {
  readonly agent_issue_labels?: readonly string[];
  readonly api_key: string;
  readonly has_success_label?: boolean;
  readonly infra_labels?: readonly string[];
  readonly issue_threshold?: number;
  readonly iterative_refinement?: IterativeRefinementConfig | null;
  readonly kind: 'APIBasedCritic';
  readonly mode?: 'finish_and_message' | 'all_actions';
  readonly model_name?: string;
  readonly pass_tools_definitions?: boolean;
  readonly sentiment_labels?: readonly string[];
  readonly sentiment_map?: Readonly<Record<string, string>>;
  readonly server_url?: string;
  readonly timeout_seconds?: number;
  readonly tokenizer_name?: string;
  readonly user_followup_labels?: readonly string[];
}

const apiBasedCriticSchema: z.ZodType<ApiBasedCritic> = named(
  'APIBasedCritic',
  kept({
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
    iterative_refinement: absent(z.nullable(iterativeRefinementConfigSchema)),
    kind: z.literal('APIBasedCritic'),
    mode: absent(z.enum(['finish_and_message', 'all_actions']), 'finish_and_message'),
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
  }),
);

/** Refuses an empty change. */
export interface EmptyPatchCritic {
  readonly iterative_refinement?: IterativeRefinementConfig | null;
  readonly kind: 'EmptyPatchCritic';
  readonly mode?: 'finish_and_message' | 'all_actions';
}

const emptyPatchCriticSchema: z.ZodType<EmptyPatchCritic> = named(
  'EmptyPatchCritic',
  kept({
    iterative_refinement: absent(z.nullable(iterativeRefinementConfigSchema)),
    kind: z.literal('EmptyPatchCritic'),
    mode: absent(z.enum(['finish_and_message', 'all_actions']), 'finish_and_message'),
  }),
);

/** Passes everything. */
export interface PassCritic {
  readonly iterative_refinement?: IterativeRefinementConfig | null;
  readonly kind: 'PassCritic';
  readonly mode?: 'finish_and_message' | 'all_actions';
}

const passCriticSchema: z.ZodType<PassCritic> = named(
  'PassCritic',
  kept({
    iterative_refinement: absent(z.nullable(iterativeRefinementConfigSchema)),
    kind: z.literal('PassCritic'),
    mode: absent(z.enum(['finish_and_message', 'all_actions']), 'finish_and_message'),
  }),
);

/** What judges the agent's answers. */
export type CriticDescription = AgentFinishedCritic | ApiBasedCritic | EmptyPatchCritic | PassCritic | OtherKind;

/** A critic by its kind. */
export const criticDescriptionSchema: z.ZodType<CriticDescription> = named(
  'CriticBase',
  oneOf<CriticDescription>({
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
