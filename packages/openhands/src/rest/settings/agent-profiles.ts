import { z } from 'zod';
import type { JsonObject } from '@conv/core/events';
import { isJsonObject } from '@conv/core/platform';
import { toolReferenceSchema } from '../../descriptions/agent.ts';
import {
  absent,
  boolean,
  integer,
  jsonObject,
  jsonValue,
  keptAs,
  named,
  orAbsent,
  orNull,
  uuid,
} from '../../schema/index.ts';

const profileInfoSchema = keptAs('AgentProfileInfo', {
  id: z.string(),
  name: z.string(),
  agent_kind: z.string().default('openhands'),
  revision: integer({ minimum: 0 }).default(0),
  llm_profile_ref: orNull(z.string()),
  mcp_server_refs: orNull(z.array(z.string())),
});

export const agentProfileListSchema = keptAs('AgentProfileListResponse', {
  profiles: z.array(profileInfoSchema),
  active_agent_profile_id: orNull(z.string()),
});

export const agentProfileDetailResponseSchema = keptAs('AgentProfileDetailResponse', {
  name: z.string(),
  profile: jsonObject,
});

/** Result of a change of an agent profile. */
export const agentProfileMutationResponseSchema = keptAs('AgentProfileMutationResponse', {
  name: z.string(),
  message: z.string(),
});

/** Which agent profile is used from now on. */
export const activateAgentProfileResponseSchema = keptAs('ActivateAgentProfileResponse', {
  id: z.string(),
  message: z.string(),
  agent_settings_applied: boolean().default(false),
});

export const agentProfileDiagnosticsSchema = keptAs('AgentProfileDiagnostics', {
  agent_kind: z.string(),
  valid: boolean().default(false),
  errors: z.array(z.string()).default([]),
  llm_profile_ref: orNull(z.string()),
  llm_profile_resolved: boolean().default(false),
  llm_api_key_set: boolean().default(false),
  mcp_server_refs: orNull(z.array(z.string())),
  resolved_mcp_config_keys: z.array(z.string()).default([]),
  dangling_mcp_server_refs: z.array(z.string()).default([]),
  disabled_skills: z.array(z.string()).default([]),
  resolved_skills: z.array(z.string()).default([]),
  acp_api_key_secret_name: orNull(z.string()),
  acp_base_url_secret_name: orNull(z.string()),
  acp_file_secret_names: z.array(z.string()).default([]),
  /** The rules by which the agent chooses its model, and what of them does not exist. Of OpenHands' 1.51. */
  meta_profile_ref: orNull(z.string()),
  dangling_meta_profile_ref: orNull(z.string()),
  dangling_meta_profile_llm_refs: z.array(z.string()).default([]),
  /** Tools that the server does not have. Of 1.51. */
  unusable_tools: z.array(z.string()).default([]),
  /** The names of the secrets that the agent may have; null: all. Of 1.48. */
  secret_refs: orNull(z.array(z.string())),
  /** The public skills that the agent has; null: all. Of 1.55. */
  public_skills: orNull(z.array(z.string())),
  resolved_settings: orNull(jsonObject),
});

/** Result of resolving an agent profile, with the references that it could not find. */
export type AgentProfileDiagnostics = z.output<typeof agentProfileDiagnosticsSchema>;

const openHandsProfile = z.object({
  agent_kind: z.literal('openhands'),
  schema_version: absent(integer({ minimum: 1 })),
  id: absent(uuid),
  revision: absent(integer({ minimum: 0 })),
  agent: absent(z.string()),
  condenser: absent(jsonObject),
  verification: absent(jsonObject),
  /** The name of an LLM profile. */
  llm_profile_ref: z.string().min(1),
  /** Names of MCP servers of the settings; absent or null: all. */
  mcp_server_refs: absent(z.nullable(z.array(z.string()))),
  tools: absent(z.nullable(z.array(toolReferenceSchema))),
  system_message_suffix: absent(z.nullable(z.string())),
  disabled_skills: absent(z.array(z.string())),
  /** Role and way of working of the agent; absent or null: the default. */
  persona: absent(z.nullable(z.string().min(1).max(65_536))),
  /** Names of the secrets of a conversation that the agent may have; absent or null: all. */
  secret_refs: absent(z.nullable(z.array(z.string()))),
  /** Names of public skills; absent or null: all. */
  public_skills: absent(z.nullable(z.array(z.string()))),
  tool_concurrency_limit: absent(integer({ minimum: 1 })),
  /** Lets the agent choose its model by the rules of this name; absent or null: by the first ones. */
  enable_classify_and_switch_llm_tool: absent(boolean()),
  meta_profile_ref: absent(z.nullable(z.string().min(1))),
});

const acpProfile = z.object({ agent_kind: z.literal('acp'), acp_server: z.string().min(1) });

/** The refusal of a member that OpenHands removed in 1.29: a profile would keep its secrets as plain text. */
const NO_VARIABLES = {
  path: ['acp_env'],
  error: 'expected no acp_env, which programs no longer get; give its variables as secrets of a conversation',
};

/** An agent profile as a client keeps it: an agent with the names of its model and of its MCP servers. Members that are not known here stay. */
export type AgentProfile = z.output<typeof openHandsProfile> | z.output<typeof acpProfile>;

export const agentProfileRequestSchema: z.ZodType<AgentProfile> = named(
  'AgentProfile',
  z.preprocess(
    (profile) => (isJsonObject(profile) ? { agent_kind: 'openhands', ...profile } : profile),
    z
      .discriminatedUnion('agent_kind', [openHandsProfile.loose(), acpProfile.loose()])
      .refine((profile) => !('acp_env' in profile), NO_VARIABLES),
  ),
);

const isText = (value: unknown): value is string => typeof value === 'string';

const texts = z.array(jsonValue).transform((values) => values.filter(isText));

const storedProfileSchema = z.object({
  name: orAbsent(z.string()),
  id: z.string().catch(''),
  agent_kind: orAbsent(z.string()),
  /** The number of its changes. */
  revision: z.number().catch(0),
  llm_profile_ref: orAbsent(z.string()),
  meta_profile_ref: orAbsent(z.string().min(1)),
  enable_classify_and_switch_llm_tool: orAbsent(z.boolean()),
  mcp_server_refs: orAbsent(texts),
  disabled_skills: orAbsent(z.array(jsonValue)),
  secret_refs: orAbsent(texts),
  public_skills: orAbsent(texts),
  system_message_suffix: orAbsent(z.string()),
  tools: orAbsent(z.array(jsonValue)),
});

/** A stored profile, read once. A member of another type counts as absent. */
export interface StoredAgentProfile extends Readonly<z.output<typeof storedProfileSchema>> {
  /** The profile as it is stored, with the members that are not known here. */
  readonly stored: JsonObject;
}

/** Reads a stored profile, without `acp_env` of an earlier version, so that a client can send it back. */
export function readAgentProfile(profile: JsonObject): StoredAgentProfile {
  const { acp_env: _, ...stored } = profile;
  return { ...storedProfileSchema.parse(stored), stored };
}
