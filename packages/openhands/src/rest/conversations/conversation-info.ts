import { z } from 'zod';
import type { ExecutionStatus } from '@conv/core';
import type { JsonObject } from '@conv/core/events';
import { agentDescriptionSchema } from '../../descriptions/agent.ts';
import { type ClientToolSpec, clientToolSpecSchema } from '../../descriptions/client-tool.ts';
import { policyDescriptionSchema } from '../../descriptions/confirmation-policy.ts';
import { type HookConfig, hookConfigSchema } from '../../descriptions/hook-config.ts';
import { secretRegistrySchema, type SecretSource } from '../../descriptions/secret-source.ts';
import { analyzerDescriptionSchema } from '../../descriptions/security-analyzer.ts';
import { workspacePlaceSchema } from '../../descriptions/workspace.ts';
import { documented, named } from '../../schema/named.ts';
import { answer, orNull } from '../../schema/objects.ts';
import type { Page } from '../../schema/page.ts';
import { boolean, integer, jsonObject } from '../../schema/scalars.ts';
import { uuid } from '../../schema/uuid.ts';
import { executionStatusSchema } from './execution-status.ts';
import {
  type ConversationStats,
  conversationStatsSchema,
  type MetricsSnapshot,
  metricsSnapshotSchema,
} from './metrics.ts';
import type { Tags } from './tags.ts';

/** A model that an ACP agent can be switched to. */
export interface AcpModel {
  readonly model_id: string;
  readonly name: string | null;
  readonly description: string | null;
}

/** The agent profile that a conversation was started with. */
export interface LaunchedAgentProfile {
  readonly agent_profile_id: string;
  readonly revision: number;
}

/** A secret that has no value at the server, and why. */
export interface SecretWithoutValue {
  readonly name: string;
  readonly reason: string;
}

/** Commits of a log that were found damaged. */
export interface DamagedCommits {
  /** The first and the last commit that are missing. */
  readonly from: number;
  readonly to: number;
  readonly reason: string;
  /** Numbers of the events that were restored from another copy. */
  readonly restored: readonly number[];
}

/** A conversation as the server tells of it. Every member is always there; ids are dashed, times UTC with `Z`. */
export interface ConversationInfo {
  readonly id: string;
  readonly workspace: JsonObject;
  readonly persistence_dir: string | null;
  readonly max_iterations: number;
  readonly stuck_detection: boolean;
  readonly execution_status: ExecutionStatus;
  readonly confirmation_policy: JsonObject;
  readonly security_analyzer: JsonObject | null;
  readonly activated_knowledge_skills: readonly string[];
  readonly invoked_skills: readonly string[];
  readonly blocked_actions: Readonly<Record<string, string>>;
  readonly blocked_messages: Readonly<Record<string, string>>;
  readonly last_user_message_id: string | null;
  readonly leaf_event_id: string | null;
  readonly stats: ConversationStats;
  readonly secret_registry: { readonly secret_sources?: Readonly<Record<string, SecretSource>> };
  readonly agent_state: JsonObject;
  readonly hook_config: HookConfig | null;
  readonly title: string | null;
  /** Null in practice: sum up `stats`. */
  readonly metrics: MetricsSnapshot | null;
  readonly created_at: string;
  readonly updated_at: string;
  readonly forked_from_conversation_id: string | null;
  readonly forked_from_event_id: string | null;
  readonly parent_conversation_id: string | null;
  readonly sub_conversation_ids: readonly string[];
  readonly tags: Tags;
  readonly current_model_id: string | null;
  readonly available_models: readonly AcpModel[];
  readonly supports_runtime_model_switch: boolean;
  readonly launched_agent_profile: LaunchedAgentProfile | null;
  /** Secrets are null, skills are left out unless asked for. */
  readonly agent: JsonObject;
  readonly client_tools: readonly ClientToolSpec[];
  /** In the order of their names. OpenHands' server does not say. */
  readonly missing_secrets: readonly SecretWithoutValue[];
  /** No person has confirmed the settings since commits were lost. OpenHands' server does not say. */
  readonly damaged: boolean;
  /** Oldest first. OpenHands' server does not say. */
  readonly damage: readonly DamagedCommits[];
  /** Tools that the agent lists and this server does not have: it works without them. OpenHands' server does not say. */
  readonly missing_tools: readonly string[];
}

const acpModelSchema: z.ZodType<AcpModel> = named(
  'ACPModelInfo',
  answer({ model_id: z.string(), name: orNull(z.string()), description: orNull(z.string()) }),
);

const launchedAgentProfileSchema: z.ZodType<LaunchedAgentProfile> = named(
  'LaunchedAgentProfile',
  answer({ agent_profile_id: uuid, revision: integer({ minimum: 0 }) }),
);

const secretWithoutValueSchema: z.ZodType<SecretWithoutValue> = named(
  'SecretWithoutValue',
  answer({ name: z.string(), reason: z.string() }),
);

const damagedCommitsSchema: z.ZodType<DamagedCommits> = named(
  'DamagedCommits',
  answer({
    from: integer({ minimum: 0 }),
    to: integer({ minimum: 0 }),
    reason: z.string(),
    restored: z.array(integer({ minimum: 0 })),
  }),
);

const textMap = z.record(z.string(), z.string()).default({});
const textList = z.array(z.string()).default([]);

/** The schema of {@link ConversationInfo}. */
export const conversationInfoSchema: z.ZodType<ConversationInfo> = named(
  'ConversationInfo',
  answer({
    id: uuid,
    workspace: workspacePlaceSchema,
    persistence_dir: z.nullable(z.string()).default('workspace/conversations'),
    max_iterations: integer({ above: 0 }).default(500),
    stuck_detection: boolean().default(true),
    execution_status: executionStatusSchema.default('idle'),
    confirmation_policy: policyDescriptionSchema.default({ kind: 'NeverConfirm' }),
    security_analyzer: orNull(analyzerDescriptionSchema),
    activated_knowledge_skills: textList,
    invoked_skills: textList,
    blocked_actions: textMap,
    blocked_messages: textMap,
    last_user_message_id: orNull(z.string()),
    leaf_event_id: orNull(z.string()),
    stats: conversationStatsSchema.default({ usage_to_metrics: {} }),
    secret_registry: secretRegistrySchema.default({ secret_sources: {} }),
    agent_state: jsonObject.default({}),
    hook_config: orNull(hookConfigSchema),
    title: orNull(z.string()),
    metrics: orNull(metricsSnapshotSchema),
    created_at: documented(z.string(), { format: 'date-time' }),
    updated_at: documented(z.string(), { format: 'date-time' }),
    forked_from_conversation_id: orNull(uuid),
    forked_from_event_id: orNull(z.string()),
    parent_conversation_id: orNull(uuid),
    sub_conversation_ids: z.array(uuid).default([]),
    tags: textMap,
    current_model_id: orNull(z.string()),
    available_models: z.array(acpModelSchema).default([]),
    supports_runtime_model_switch: boolean().default(false),
    launched_agent_profile: orNull(launchedAgentProfileSchema),
    agent: agentDescriptionSchema,
    client_tools: z.array(clientToolSpecSchema).default([]),
    missing_secrets: z.array(secretWithoutValueSchema).default([]),
    damaged: boolean().default(false),
    damage: z.array(damagedCommitsSchema).default([]),
    missing_tools: textList,
  }),
);

/** A conversation that is there and cannot be read. */
export interface UnreadableConversation {
  readonly id: string;
  /** For people. */
  readonly reason: string;
}

/** A page of conversations. Conversations that cannot be read are named beside it, because clients could not show them. */
export interface ConversationPage extends Page<ConversationInfo> {
  readonly unreadable: readonly UnreadableConversation[];
}

const unreadableConversationSchema: z.ZodType<UnreadableConversation> = named(
  'UnreadableConversation',
  answer({ id: uuid, reason: z.string() }),
);

/** The schema of a page of conversations. */
export const conversationPageSchema: z.ZodType<ConversationPage> = named(
  'ConversationPage',
  answer({
    items: z.array(conversationInfoSchema),
    next_page_id: orNull(z.string()),
    unreadable: z.array(unreadableConversationSchema).default([]),
  }),
);
