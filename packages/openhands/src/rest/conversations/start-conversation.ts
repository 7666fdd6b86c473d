import type { ConfirmationPolicy } from '@conv/core';
import { z } from 'zod';
import type { JsonObject } from '@conv/core/events';
import { agentDefinitionSchema } from '../../descriptions/agent-definition.ts';
import { knownAgentSchema } from '../../descriptions/agent.ts';
import { type ClientToolSpec, clientToolSpecSchema, refuseWrongTools } from '../../descriptions/client-tool.ts';
import { requestedPolicySchema } from '../../descriptions/confirmation-policy.ts';
import { type HookConfig, requestedHookConfigSchema } from '../../descriptions/hook-config.ts';
import { type SecretSource, secretSourceSchema } from '../../descriptions/secret-source.ts';
import { knownAnalyzerSchema } from '../../descriptions/security-analyzer.ts';
import { requestedWorkspaceSchema } from '../../descriptions/workspace.ts';
import { absent } from '../../schema/kept-member.ts';
import { named } from '../../schema/named.ts';
import { closedRequest, orNull, request } from '../../schema/objects.ts';
import { boolean, integer, jsonObject, number } from '../../schema/scalars.ts';
import { uuid } from '../../schema/uuid.ts';
import { type SendMessageRequest, sendMessageRequestSchema } from './send-message.ts';
import { type Tags, tagsSchema } from './tags.ts';

/** A plugin to load, by where it comes from. */
export interface PluginSource {
  readonly source: string;
  readonly ref: string | null;
  readonly repo_path: string | null;
}

/** Additions to a stored agent for this conversation. */
export interface AgentLaunchAdditions {
  /** At most 32,768 characters. */
  readonly system_message_suffix_append: string | null;
}

/** A value of a trace's metadata. */
export type ObservabilityValue = string | boolean | number | readonly string[] | readonly boolean[] | readonly number[];

/**
 * A conversation to start, defaults filled in. A client may leave out everything but `workspace` and one of `agent`,
 * `agent_settings` and `agent_profile_id`; the last excludes the other two, and `agent` wins over `agent_settings`.
 */
export interface StartConversationRequest {
  readonly workspace: { readonly kind: 'LocalWorkspace'; readonly working_dir: string };
  readonly agent?: JsonObject;
  readonly agent_settings: JsonObject | null;
  readonly agent_profile_id: string | null;
  readonly conversation_id: string | null;
  readonly initial_message: SendMessageRequest | null;
  readonly max_iterations: number;
  /** US dollars per run; null: no limit. OpenHands' server has no such member, nor the next two. */
  readonly max_budget_per_run: number | null;
  /** US dollars of all runs together; null: no limit. */
  readonly max_budget: number | null;
  /** Milliseconds per call of a tool; null: no limit. */
  readonly tool_timeout: number | null;
  readonly stuck_detection: boolean;
  readonly confirmation_policy: ConfirmationPolicy;
  readonly security_analyzer: JsonObject | null;
  readonly secrets: Readonly<Record<string, SecretSource>>;
  /** True if secrets are ciphertext of the server's key. */
  readonly secrets_encrypted: boolean;
  readonly worktree: boolean;
  readonly parent_conversation_id: string | null;
  readonly tool_module_qualnames: Readonly<Record<string, string>>;
  readonly client_tools: readonly ClientToolSpec[];
  readonly agent_definitions: readonly JsonObject[];
  readonly agent_launch_additions: AgentLaunchAdditions | null;
  readonly plugins: readonly PluginSource[] | null;
  readonly hook_config: HookConfig | null;
  readonly tags: Tags;
  readonly user_id: string | null;
  readonly observability_metadata: Readonly<Record<string, ObservabilityValue>>;
  readonly observability_tags: readonly string[];
  readonly observability_span_name: string;
  readonly autotitle: boolean;
  readonly title_llm_profile: string | null;
}

/** The schema of {@link PluginSource}. */
const pluginSourceSchema: z.ZodType<PluginSource> = named(
  'PluginSource',
  request({ source: z.string(), ref: orNull(z.string()), repo_path: orNull(z.string()) }),
);

const agentLaunchAdditionsSchema: z.ZodType<AgentLaunchAdditions> = named(
  'AgentLaunchAdditions',
  closedRequest({ system_message_suffix_append: orNull(z.string().max(32_768)) }),
);

const observabilityValue = z.union([
  z.string(),
  z.boolean(),
  z.int(),
  z.number(),
  z.array(z.string()),
  z.array(z.boolean()),
  z.array(z.number()),
]);

/** The schema of {@link StartConversationRequest}; which of the three agents is given is a matter of the server. */
export const startConversationRequestSchema: z.ZodType<StartConversationRequest> = named(
  'StartConversationRequest',
  request({
    workspace: requestedWorkspaceSchema,
    agent: absent(knownAgentSchema),
    agent_settings: orNull(jsonObject),
    agent_profile_id: orNull(uuid),
    conversation_id: orNull(uuid),
    initial_message: orNull(sendMessageRequestSchema),
    max_iterations: integer({ minimum: 1 }).default(500),
    max_budget_per_run: orNull(number({ above: 0 })),
    max_budget: orNull(number({ above: 0 })),
    tool_timeout: orNull(number({ above: 0 })),
    stuck_detection: boolean().default(true),
    confirmation_policy: requestedPolicySchema.default({ kind: 'NeverConfirm' }),
    security_analyzer: orNull(knownAnalyzerSchema),
    secrets: z.record(z.string(), secretSourceSchema).default({}),
    secrets_encrypted: boolean().default(false),
    worktree: boolean().default(false),
    parent_conversation_id: orNull(uuid),
    tool_module_qualnames: z.record(z.string(), z.string()).default({}),
    client_tools: z.array(clientToolSpecSchema).superRefine(refuseWrongTools).default([]),
    agent_definitions: z.array(agentDefinitionSchema).default([]),
    agent_launch_additions: orNull(agentLaunchAdditionsSchema),
    plugins: orNull(z.array(pluginSourceSchema)),
    hook_config: orNull(requestedHookConfigSchema),
    tags: tagsSchema.default({}),
    user_id: orNull(z.string()),
    observability_metadata: z.record(z.string(), observabilityValue).default({}),
    observability_tags: z.array(z.string()).default([]),
    observability_span_name: z.string().default('conversation'),
    autotitle: boolean().default(true),
    title_llm_profile: orNull(z.string()),
  }),
);
