import { z } from 'zod';
import type { JsonObject } from '@conv/core/events';
import { agentContextSchema } from '../../descriptions/agent-context.ts';
import { toolReferenceSchema } from '../../descriptions/agent.ts';
import { llmDescriptionSchema } from '../../descriptions/llm.ts';
import { mcpCredentialSchema } from '../../descriptions/mcp-credential.ts';
import { mcpServerSchema } from '../../descriptions/mcp-server.ts';
import { absent } from '../../schema/kept-member.ts';
import { named } from '../../schema/named.ts';
import { answer, kept, orNull, request } from '../../schema/objects.ts';
import { boolean, integer, jsonObject, number } from '../../schema/scalars.ts';

/** Settings from which agents are made, as people set them. Members that are not known here stay. */
export interface AgentSettings {
  readonly schema_version?: number;
  readonly agent_kind?: string;
  readonly agent?: string;
  readonly llm?: JsonObject;
  /** Tools of agents; absent: the default tools. */
  readonly tools?: readonly JsonObject[];
  readonly enable_sub_agents?: boolean;
  readonly enable_switch_llm_tool?: boolean;
  readonly tool_concurrency_limit?: number;
  readonly mcp_config?: Readonly<Record<string, JsonObject>> | null;
  readonly agent_context?: JsonObject | null;
  readonly condenser?: CondenserSettings;
  readonly verification?: JsonObject;
}

/** Settings of the condenser, as people set them. */
export interface CondenserSettings {
  readonly enabled?: boolean;
  readonly max_size?: number;
  readonly condenser_kind?: string;
  readonly max_tokens?: number | null;
  readonly keep_first?: number;
  readonly minimum_progress?: number;
  readonly hard_context_reset_max_retries?: number;
  readonly hard_context_reset_context_scaling?: number;
}

/** Settings of conversations, as people set them. */
export interface ConversationSettings {
  readonly schema_version?: number;
  readonly max_iterations?: number;
  readonly confirmation_mode?: boolean;
  /** `llm`, `pattern`, `policy_rail`, `none`. */
  readonly security_analyzer?: string | null;
}

/** All settings. */
export interface SettingsResponse {
  /** {@link AgentSettings}, secrets as the request asked for them. */
  readonly agent_settings: JsonObject;
  /** {@link ConversationSettings}. */
  readonly conversation_settings: JsonObject;
  readonly llm_api_key_is_set: boolean;
  readonly active_profile: string | null;
  readonly active_agent_profile_id: string | null;
  /** Settings that belong to user interfaces. */
  readonly misc_settings: JsonObject;
}

/** Changes of settings: objects are merged, deeply; absent members stay. A request without any of them is refused with 400. */
export interface UpdateSettingsRequest {
  readonly agent_settings_diff?: JsonObject | null;
  readonly conversation_settings_diff?: JsonObject | null;
  readonly misc_settings_diff?: JsonObject | null;
  readonly active_profile?: string | null;
  readonly active_agent_profile_id?: string | null;
}

const condenserSettingsSchema: z.ZodType<CondenserSettings> = kept({
  enabled: absent(boolean(), true),
  max_size: absent(integer({ above: 0 }), 240),
  condenser_kind: absent(z.string(), 'llm_summarizing'),
  max_tokens: absent(z.nullable(integer())),
  keep_first: absent(integer({ minimum: 0 }), 2),
  minimum_progress: absent(number({ above: 0, below: 1 }), 0.1),
  hard_context_reset_max_retries: absent(integer({ above: 0 }), 5),
  hard_context_reset_context_scaling: absent(number({ above: 0, below: 1 }), 0.8),
});

/** The schema of {@link AgentSettings}, for who makes an agent of them. */
export const agentSettingsSchema: z.ZodType<AgentSettings> = named(
  'AgentSettings',
  kept({
    schema_version: absent(integer()),
    agent_kind: absent(z.string(), 'openhands'),
    agent: absent(z.string(), 'CodeActAgent'),
    llm: absent(llmDescriptionSchema),
    tools: absent(z.array(toolReferenceSchema)),
    enable_sub_agents: absent(boolean(), false),
    enable_switch_llm_tool: absent(boolean(), true),
    tool_concurrency_limit: absent(integer({ minimum: 1 }), 1),
    mcp_config: absent(z.nullable(z.record(z.string(), mcpServerSchema))),
    agent_context: absent(z.nullable(agentContextSchema)),
    condenser: absent(condenserSettingsSchema),
    verification: absent(jsonObject),
  }),
);

/** The schema of {@link ConversationSettings}. */
export const conversationSettingsSchema: z.ZodType<ConversationSettings> = named(
  'ConversationSettings',
  kept({
    schema_version: absent(integer()),
    max_iterations: absent(integer({ above: 0 }), 500),
    confirmation_mode: absent(boolean(), false),
    security_analyzer: absent(z.nullable(z.string()), 'llm'),
  }),
);

/** The schema of {@link SettingsResponse}. */
export const settingsResponseSchema: z.ZodType<SettingsResponse> = named(
  'SettingsResponse',
  answer({
    agent_settings: jsonObject,
    conversation_settings: jsonObject,
    llm_api_key_is_set: boolean(),
    active_profile: orNull(z.string()),
    active_agent_profile_id: orNull(z.string()),
    misc_settings: jsonObject.default({}),
  }),
);

/** The schema of {@link UpdateSettingsRequest}. */
export const updateSettingsRequestSchema: z.ZodType<UpdateSettingsRequest> = named(
  'UpdateSettingsRequest',
  request({
    agent_settings_diff: absent(z.nullable(jsonObject)),
    conversation_settings_diff: absent(z.nullable(jsonObject)),
    misc_settings_diff: absent(z.nullable(jsonObject)),
    active_profile: absent(z.nullable(z.string())),
    active_agent_profile_id: absent(z.nullable(z.string())),
  }),
);

const secretTexts = z.nullable(z.record(z.string(), z.nullable(z.string())));

/** A change of an MCP server; what is absent stays, null removes. */
export const mcpServerPatchSchema = named(
  'MCPServerPatch',
  z.strictObject({
    url: absent(z.nullable(z.string().min(1))),
    transport: absent(z.nullable(z.enum(['stdio', 'http', 'streamable-http', 'sse']))),
    command: absent(z.nullable(z.string().min(1))),
    args: absent(z.nullable(z.array(z.string()))),
    env: absent(secretTexts),
    cwd: absent(z.nullable(z.string())),
    description: absent(z.nullable(z.string())),
    icon: absent(z.nullable(z.string())),
    timeout: absent(z.nullable(number())),
    sse_read_timeout: absent(z.nullable(number())),
    keep_alive: absent(z.nullable(boolean())),
    headers: absent(secretTexts),
    auth: absent(z.nullable(mcpCredentialSchema)),
    enabled: absent(z.nullable(boolean())),
  }),
);
