import type { JsonObject } from '@conv/core/events';
import { z } from 'zod';
import { agentContextSchema } from '../../descriptions/agent-context.ts';
import { toolReferenceSchema } from '../../descriptions/agent.ts';
import { llmDescriptionSchema } from '../../descriptions/llm.ts';
import { metaProfileSchema } from '../../descriptions/meta-profile.ts';
import { mcpServerMembers, mcpServerSchema } from '../../descriptions/mcp-server.ts';
import {
  absent,
  boolean,
  integer,
  jsonObject,
  kept,
  keptAs,
  membersLike,
  named,
  jsonValue,
  number,
  orAbsent,
  orNull,
  openRequestAs,
} from '../../schema/index.ts';
import { profileNameSchema } from './llm-profiles.ts';

/** A UUID with dashes, in any case; it is stored as it is sent. */
const dashedUuid = z.string().regex(/^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/);

/** Settings of the condenser, as people set them. */
const condenserSettingsSchema = kept({
  enabled: absent(boolean(), true),
  max_size: absent(integer({ above: 0 }), 240),
  condenser_kind: absent(z.string(), 'llm_summarizing'),
  max_tokens: absent(z.nullable(integer())),
  keep_first: absent(integer({ minimum: 0 }), 2),
  minimum_progress: absent(number({ above: 0, below: 1 }), 0.1),
  hard_context_reset_max_retries: absent(integer({ above: 0 }), 5),
  hard_context_reset_context_scaling: absent(number({ above: 0, below: 1 }), 0.8),
});

/** The schema of {@link AgentSettings}, for code that makes an agent of them. */
export const agentSettingsSchema = keptAs('AgentSettings', {
  schema_version: absent(integer()),
  agent_kind: absent(z.string(), 'openhands'),
  agent: absent(z.string(), 'CodeActAgent'),
  persona: absent(z.nullable(z.string())),
  llm: absent(llmDescriptionSchema),
  /** Tools of agents; absent: the default tools. */
  tools: absent(z.array(toolReferenceSchema)),
  enable_sub_agents: absent(boolean(), false),
  enable_switch_llm_tool: absent(boolean(), true),
  /** Lets agents choose their model by rules. */
  enable_classify_and_switch_llm_tool: absent(boolean(), false),
  /** The name of the rules; absent or null: the first stored ones. */
  active_meta_profile: absent(z.nullable(z.string())),
  /** The rules, for agents of a server that does not have the stored ones. */
  meta_profile: absent(z.nullable(metaProfileSchema)),
  /** LLM objects by the names of profiles, for a server that does not have the profiles. */
  meta_profile_llms: absent(z.record(z.string(), llmDescriptionSchema)),
  tool_concurrency_limit: absent(integer({ minimum: 1 }), 1),
  mcp_config: absent(z.nullable(z.record(z.string(), mcpServerSchema))),
  agent_context: absent(z.nullable(agentContextSchema)),
  condenser: absent(condenserSettingsSchema),
  verification: absent(jsonObject),
});

/** Settings from which agents are made, as people set them. Members that are not known here stay. */
export type AgentSettings = z.output<typeof agentSettingsSchema>;

const storedSettingsSchema = z.object({
  agent_kind: orAbsent(z.string()),
  tools: z.array(jsonValue).catch([]),
  enable_sub_agents: z.boolean().catch(false),
  enable_switch_llm_tool: z.boolean().catch(true),
  enable_classify_and_switch_llm_tool: z.boolean().catch(false),
  active_meta_profile: orAbsent(z.string().min(1)),
  meta_profile: orAbsent(jsonObject),
  meta_profile_llms: orAbsent(jsonObject),
  mcp_config: jsonObject.catch({}),
  agent_context: jsonObject.catch({}),
  condenser: jsonObject.catch({}),
});

/**
 * Reads the members that the server uses from settings that were stored or sent unchecked. A member of another type counts as
 * absent.
 */
export function readAgentSettings(settings: JsonObject): Readonly<z.output<typeof storedSettingsSchema>> {
  return storedSettingsSchema.parse(settings);
}

/** The schema of {@link ConversationSettings}. */
export const conversationSettingsSchema = keptAs('ConversationSettings', {
  schema_version: absent(integer()),
  max_iterations: absent(integer({ above: 0 }), 500),
  confirmation_mode: absent(boolean(), false),
  /** `llm`, `pattern`, `policy_rail`, `none`. */
  security_analyzer: absent(z.nullable(z.string()), 'llm'),
});

/** Settings of conversations, as people set them. */
export type ConversationSettings = z.output<typeof conversationSettingsSchema>;

export const settingsResponseSchema = keptAs('SettingsResponse', {
  /** {@link AgentSettings}, with secrets in the requested form. */
  agent_settings: jsonObject,
  /** {@link ConversationSettings}. */
  conversation_settings: jsonObject,
  llm_api_key_is_set: boolean(),
  active_profile: orNull(z.string()),
  active_agent_profile_id: orNull(z.string()),
  /** The name of the rules by which agents choose their model. */
  active_meta_profile: orNull(z.string()),
  /** Settings that belong to user interfaces. */
  misc_settings: jsonObject.default({}),
});

/** All settings. */
export type SettingsResponse = z.output<typeof settingsResponseSchema>;

export const updateSettingsRequestSchema = openRequestAs('UpdateSettingsRequest', {
  agent_settings_diff: absent(z.nullable(membersLike(jsonObject, agentSettingsSchema))),
  conversation_settings_diff: absent(z.nullable(membersLike(jsonObject, conversationSettingsSchema))),
  misc_settings_diff: absent(z.nullable(jsonObject)),
  active_profile: absent(z.nullable(profileNameSchema)),
  active_agent_profile_id: absent(z.nullable(dashedUuid)),
  active_meta_profile: absent(z.nullable(profileNameSchema)),
});

/**
 * Changes of settings: objects are merged, deeply; absent members stay. A request without any of them is refused with 400. Unknown
 * members are settings of newer releases: they are stored and shown, and merged if their names end with `_diff`.
 */
export type UpdateSettingsRequest = z.output<typeof updateSettingsRequestSchema>;

/** A change of an MCP server; absent members stay, null removes a member. */
export const mcpServerPatchSchema = named(
  'MCPServerPatch',
  z.strictObject({
    ...mcpServerMembers,
    enabled: absent(z.nullable(boolean())),
    /** Becomes `enabled`. */
    disabled: absent(z.nullable(boolean())),
  }),
);
