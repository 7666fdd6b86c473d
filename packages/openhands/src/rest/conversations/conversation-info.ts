import { z } from 'zod';
import { agentDescriptionSchema } from '../../descriptions/agent.ts';
import { clientToolSpecSchema } from '../../descriptions/client-tool.ts';
import { policyDescriptionSchema } from '../../descriptions/confirmation-policy.ts';
import { hookConfigSchema } from '../../descriptions/hook-config.ts';
import { secretRegistrySchema } from '../../descriptions/secret-source.ts';
import { analyzerDescriptionSchema } from '../../descriptions/security-analyzer.ts';
import { workspacePlaceSchema } from '../../descriptions/workspace.ts';
import { boolean, documented, integer, jsonObject, keptAs, named, orNull, uuid } from '../../schema/index.ts';
import { executionStatusSchema } from './execution-status.ts';
import { conversationStatsSchema, metricsSnapshotSchema } from './metrics.ts';

/** A model that an ACP agent can be switched to. */
const acpModelSchema = keptAs('ACPModelInfo', {
  model_id: z.string(),
  name: orNull(z.string()),
  description: orNull(z.string()),
});

export const conversationRuntimeSchema = keptAs('ConversationRuntimeInfo', {
  runtime_status: named(
    'ConversationRuntimeStatus',
    z.enum(['available', 'starting', 'missing', 'ownership_lost', 'error']),
  ),
  can_resume: boolean(),
  runtime_error: orNull(keptAs('ConversationRuntimeError', { code: z.string(), message: z.string() })),
});

/** The agent profile that a conversation was started with. */
const launchedAgentProfileSchema = keptAs('LaunchedAgentProfile', {
  agent_profile_id: uuid,
  revision: integer({ minimum: 0 }),
  /** The names of the secrets that it may have; null: all. Of OpenHands' 1.48. */
  secret_refs: orNull(z.array(z.string())),
  /** The LLM profile that the request named in the place of its own. Of 1.55. */
  llm_profile_ref: orNull(z.string()),
});

/** A secret that has no value at the server, and why. */
const secretWithoutValueSchema = keptAs('SecretWithoutValue', { name: z.string(), reason: z.string() });

/** Commits of a log that were found damaged. */
const damagedCommitsSchema = keptAs('DamagedCommits', {
  /** The first and the last commit that are missing. */
  from: integer({ minimum: 0 }),
  to: integer({ minimum: 0 }),
  reason: z.string(),
  /** Numbers of the events that were restored from another copy. */
  restored: z.array(integer({ minimum: 0 })),
});

const textMap = z.record(z.string(), z.string()).default({});
const textList = z.array(z.string()).default([]);

/** The schema of {@link ConversationInfo}. */
export const conversationInfoSchema = keptAs('ConversationInfo', {
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
  /** Null in practice: sum up `stats`. */
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
  /** State of the place in which its tools act. Of OpenHands' 1.49. */
  runtime_info: orNull(conversationRuntimeSchema),
  /** Python modules of its tools, for OpenHands' servers. Of 1.50. */
  tool_module_qualnames: textMap,
  /** Secrets are null; skills are left out unless requested. */
  agent: agentDescriptionSchema,
  client_tools: z.array(clientToolSpecSchema).default([]),
  /** In the order of their names. OpenHands' server does not send it. */
  missing_secrets: z.array(secretWithoutValueSchema).default([]),
  /** True if commits were lost and no person has confirmed the settings since. OpenHands' server does not send it. */
  damaged: boolean().default(false),
  /** Oldest first. OpenHands' server does not send it. */
  damage: z.array(damagedCommitsSchema).default([]),
  /** Tools that the agent lists and this server lacks; the agent works without them. OpenHands' server does not send it. */
  missing_tools: textList,
  /**
   * Places of unknown members of the request that made it, such as `agent.mood`: they have no effect. OpenHands' server does
   * not send it.
   */
  ignored_members: textList,
  /** The name of the key that started it, or the source of its fork; null for keys of the configuration. OpenHands' server does not send it. */
  owner: orNull(z.string()),
  /** Ids of the calls of client tools that wait for their answers while it runs. OpenHands' server does not send it. */
  unanswered_calls: textList,
  /** The lowest release of OpenHands whose programs read it, such as `>=1.54`; null: 1.43.1. OpenHands' server does not send it. */
  openhands: orNull(z.string()),
});

/** A conversation as the server describes it. Every member is always present; ids are dashed, times are UTC with `Z`. */
export type ConversationInfo = z.output<typeof conversationInfoSchema>;

const unreadableConversationSchema = keptAs('UnreadableConversation', {
  id: uuid,
  /** For people. */
  reason: z.string(),
});

/** A conversation that exists and cannot be read. */
export type UnreadableConversation = z.output<typeof unreadableConversationSchema>;

export const conversationPageSchema = keptAs('ConversationPage', {
  items: z.array(conversationInfoSchema),
  next_page_id: orNull(z.string()),
  unreadable: z.array(unreadableConversationSchema).default([]),
});

/** A page of conversations. Conversations that cannot be read are named beside it, because clients could not show them. */
export type ConversationPage = z.output<typeof conversationPageSchema>;
