import { z } from 'zod';
import { agentDefinitionSchema } from '../../descriptions/agent-definition.ts';
import { knownAgentSchema } from '../../descriptions/agent.ts';
import { clientToolSpecSchema, refuseWrongTools } from '../../descriptions/client-tool.ts';
import { requestedPolicySchema } from '../../descriptions/confirmation-policy.ts';
import { requestedHookConfigSchema } from '../../descriptions/hook-config.ts';
import { secretSourceSchema } from '../../descriptions/secret-source.ts';
import { skillDescriptionSchema } from '../../descriptions/skill.ts';
import { requestedAnalyzerSchema } from '../../descriptions/security-analyzer.ts';
import { requestedWorkspaceSchema } from '../../descriptions/workspace.ts';
import {
  absent,
  boolean,
  closedRequest,
  integer,
  jsonObject,
  jsonValue,
  membersLike,
  named,
  number,
  orNull,
  request,
  requestAs,
  uuid,
} from '../../schema/index.ts';
import { agentSettingsSchema } from '../settings/settings.ts';
import { sendMessageRequestSchema } from './send-message.ts';
import { tagsSchema } from './tags.ts';

const pluginSourceSchema = requestAs('PluginSource', {
  source: z.string(),
  ref: orNull(z.string()),
  repo_path: orNull(z.string()),
});

/** A plugin to load, by where it comes from. */
export type PluginSource = z.output<typeof pluginSourceSchema>;

const agentLaunchAdditionsSchema = named(
  'AgentLaunchAdditions',
  closedRequest({
    /** At most 32,768 characters. */
    system_message_suffix_append: orNull(z.string().max(32_768)),
    /** Skills that the agent gets as well, unless it has one of the name or its context disables it. Of OpenHands' 1.55. */
    skills: orNull(z.array(skillDescriptionSchema)),
    /** The LLM profile in the place of that of the agent profile; only with one. Of 1.55. */
    llm_profile_ref: orNull(z.string().min(1)),
  }),
);

/** Additions to a stored agent for this conversation. */
export type AgentLaunchAdditions = z.output<typeof agentLaunchAdditionsSchema>;

/** The names of branches, tags and commits, which git cannot take for an option. */
const GIT_NAME = /^[A-Za-z0-9][A-Za-z0-9._/-]*$/;

/** Choices for a worktree. */
const worktreeOptionsSchema = named(
  'ConversationWorktreeOptions',
  closedRequest({
    /** Beginning of its branch: the default branch, the commit that is checked out, or `ref`. */
    base: z.enum(['default_branch', 'head', 'ref']).default('default_branch'),
    ref: orNull(z.string().regex(GIT_NAME)),
    /** The beginning of the name of its branch, which ends in the id of the conversation. */
    branch_prefix: z
      .string()
      .regex(/^(?:[A-Za-z0-9][A-Za-z0-9._/-]*)?$/)
      .default('openhands/'),
  }),
);

/** Limits that a client wants for the executor of a conversation. */
const containerOptionsSchema = named(
  'ConversationContainerOptions',
  closedRequest({
    /** A number of bytes, also with one of the letters b, k, m and g behind it: `512m`. Null: the limit of the server. */
    memory: orNull(z.string().regex(/^\d+[bkmg]?$/i)),
    /** A number of processors. Null: the limit of the server. */
    cpus: orNull(number({ above: 0 })),
    /** False for an agent without a browser. */
    browser: boolean().default(true),
  }),
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

/** Names of thresholds, which the detector of a server reads. */
const thresholdNames = request({
  action_observation: absent(jsonValue),
  action_error: absent(jsonValue),
  monologue: absent(jsonValue),
  alternating_pattern: absent(jsonValue),
});

/** The schema of {@link StartConversationRequest}. The server checks which of the three agent members are given. */
export const startConversationRequestSchema = requestAs('StartConversationRequest', {
  workspace: requestedWorkspaceSchema,
  agent: absent(knownAgentSchema),
  agent_settings: orNull(membersLike(jsonObject, agentSettingsSchema)),
  agent_profile_id: orNull(uuid),
  conversation_id: orNull(uuid),
  initial_message: orNull(sendMessageRequestSchema),
  max_iterations: integer({ minimum: 1 }).default(500),
  /** US dollars per run; null: no limit. OpenHands' server has no such member, nor the next two. */
  max_budget_per_run: orNull(number({ above: 0 })),
  /** US dollars of all runs together; null: no limit. */
  max_budget: orNull(number({ above: 0 })),
  /** Milliseconds per call of a tool; null: no limit. */
  tool_timeout: orNull(number({ above: 0 })),
  stuck_detection: boolean().default(true),
  /** Repetitions by pattern; absent members have their defaults. Clients of OpenHands send them, its server ignores them. */
  stuck_detection_thresholds: orNull(membersLike(jsonObject, thresholdNames)),
  confirmation_policy: requestedPolicySchema.default({ kind: 'NeverConfirm' }),
  security_analyzer: requestedAnalyzerSchema.default(null),
  secrets: z.record(z.string(), secretSourceSchema).default({}),
  /** True if secrets are ciphertext of the server's key. */
  secrets_encrypted: boolean().default(false),
  worktree: boolean().default(false),
  /** Of OpenHands' 1.57. Null: the default branch. */
  worktree_options: orNull(worktreeOptionsSchema),
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
  /** Of OpenHands' 1.52. */
  observability_parent_span_context: orNull(z.string()),
  autotitle: boolean().default(true),
  title_llm_profile: orNull(z.string()),
  /**
   * Request to the model of `title_llm_profile`; `{conversation_content}` and `{max_length}` stand for the message and the most characters.
   * Of OpenHands' 1.57.
   */
  prompt: orNull(z.string().max(2000)),
  /** Where the tools of the conversation act, such as `local` or `docker`; null: where the server has them act. Of OpenHands' 1.49. */
  conversation_runtime: orNull(z.string()),
  /** Limits of an executor; a conversation of the runtime `local` ignores them. Of OpenHands' 1.49. */
  container: orNull(containerOptionsSchema),
  /** The lowest release of OpenHands whose programs read the conversation; null: 1.43.1. OpenHands' server has no such member. */
  openhands: orNull(z.templateLiteral(['>=', z.string()])),
});

/**
 * A conversation to start, defaults filled in. A client may leave out everything but `workspace` and one of `agent`,
 * `agent_settings` and `agent_profile_id`; the last excludes the other two, and `agent` wins over `agent_settings`.
 */
export type StartConversationRequest = z.output<typeof startConversationRequestSchema>;
