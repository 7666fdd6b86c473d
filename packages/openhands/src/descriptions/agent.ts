import { z } from 'zod';
import type { JsonObject } from '@conv/core/events';
import { absent } from '../schema/kept-member.ts';
import { oneOf } from '../schema/one-of.ts';
import { named } from '../schema/named.ts';
import { kept } from '../schema/objects.ts';
import { boolean, integer, jsonObject, number } from '../schema/scalars.ts';
import { type AgentContext, agentContextSchema } from './agent-context.ts';
import { type CondenserDescription, condenserDescriptionSchema } from './condenser.ts';
import { type CriticDescription, criticDescriptionSchema } from './critic.ts';
import { type LlmDescription, llmDescriptionSchema } from './llm.ts';
import { type McpServer, mcpServerSchema } from './mcp-server.ts';
import { type OtherKind, otherKindSchema } from './other-kind.ts';

/** A secret that an ACP agent reads from a file. */
export interface AcpFileSecret {
  readonly env_points_to?: 'dir' | 'file';
  readonly env_var: string;
  readonly filename: string;
  readonly secret_name: string;
  readonly subdir: string;
  readonly warn_if_unset?: readonly string[];
}

const acpFileSecretSchema: z.ZodType<AcpFileSecret> = named(
  'ACPFileSecretSpec',
  kept({
    env_points_to: absent(z.enum(['dir', 'file']), 'file'),
    env_var: z.string().min(1),
    filename: z.string().min(1),
    secret_name: z.string().min(1),
    subdir: z.string().min(1),
    warn_if_unset: absent(z.array(z.string())),
  }),
);

/** A tool by its registered name, and its parameters. */
export interface ToolReference {
  readonly name: string;
  readonly params?: JsonObject;
}

/** The schema of {@link ToolReference}. */
export const toolReferenceSchema: z.ZodType<ToolReference> = named(
  'openhands__sdk__tool__spec__Tool',
  kept({
    name: z.string(),
    params: absent(jsonObject),
  }),
);

/** An agent that calls a model and tools. */
export interface OpenHandsAgent {
  readonly agent_context?: AgentContext | null;
  readonly condenser?: CondenserDescription | null;
  readonly critic?: CriticDescription | null;
  readonly filter_tools_regex?: string | null;
  readonly include_default_tools?: readonly string[];
  readonly kind?: 'Agent';
  readonly llm: LlmDescription;
  readonly mcp_config?: Readonly<Record<string, McpServer>>;
  readonly security_policy_filename?: string;
  readonly system_prompt?: string | null;
  readonly system_prompt_filename?: string;
  readonly system_prompt_kwargs?: JsonObject;
  readonly tool_concurrency_limit?: number;
  readonly tools?: readonly ToolReference[];
}

const openHandsAgentSchema: z.ZodType<OpenHandsAgent> = named(
  'Agent',
  kept({
    agent_context: absent(z.nullable(agentContextSchema)),
    condenser: absent(z.nullable(condenserDescriptionSchema)),
    critic: absent(z.nullable(criticDescriptionSchema)),
    filter_tools_regex: absent(z.nullable(z.string())),
    include_default_tools: absent(z.array(z.string())),
    kind: absent(z.literal('Agent')),
    llm: llmDescriptionSchema,
    mcp_config: absent(z.record(z.string(), mcpServerSchema)),
    security_policy_filename: absent(z.string(), 'security_policy.j2'),
    system_prompt: absent(z.nullable(z.string())),
    system_prompt_filename: absent(z.string(), 'system_prompt.j2'),
    system_prompt_kwargs: absent(jsonObject),
    tool_concurrency_limit: absent(integer({ minimum: 1 }), 1),
    tools: absent(z.array(toolReferenceSchema)),
  }),
);

/** An agent in another process, spoken to by the Agent Client Protocol. */
export interface AcpAgent {
  readonly acp_args?: readonly string[];
  readonly acp_command: readonly string[];
  readonly acp_file_secrets?: readonly AcpFileSecret[];
  readonly acp_isolate_data_dir?: boolean;
  readonly acp_model?: string | null;
  readonly acp_prompt_timeout?: number;
  readonly acp_resume_session_id?: string | null;
  readonly acp_server?: string | null;
  readonly acp_session_mode?: string | null;
  readonly acp_startup_timeout?: number;
  readonly agent_context?: AgentContext | null;
  readonly condenser?: CondenserDescription | null;
  readonly critic?: CriticDescription | null;
  readonly filter_tools_regex?: string | null;
  readonly include_default_tools?: readonly string[];
  readonly kind?: 'ACPAgent';
  readonly llm?: LlmDescription;
  readonly mcp_config?: Readonly<Record<string, McpServer>>;
  readonly security_policy_filename?: string;
  readonly system_prompt?: string | null;
  readonly system_prompt_filename?: string;
  readonly system_prompt_kwargs?: JsonObject;
  readonly tool_concurrency_limit?: number;
  readonly tools?: readonly ToolReference[];
}

const acpAgentSchema: z.ZodType<AcpAgent> = named(
  'ACPAgent',
  kept({
    acp_args: absent(z.array(z.string())),
    acp_command: z.array(z.string()),
    acp_file_secrets: absent(z.array(acpFileSecretSchema)),
    acp_isolate_data_dir: absent(boolean(), false),
    acp_model: absent(z.nullable(z.string())),
    acp_prompt_timeout: absent(number(), 1800),
    acp_resume_session_id: absent(z.nullable(z.string())),
    acp_server: absent(z.nullable(z.string())),
    acp_session_mode: absent(z.nullable(z.string())),
    acp_startup_timeout: absent(number(), 90),
    agent_context: absent(z.nullable(agentContextSchema)),
    condenser: absent(z.nullable(condenserDescriptionSchema)),
    critic: absent(z.nullable(criticDescriptionSchema)),
    filter_tools_regex: absent(z.nullable(z.string())),
    include_default_tools: absent(z.array(z.string())),
    kind: absent(z.literal('ACPAgent')),
    llm: absent(llmDescriptionSchema),
    mcp_config: absent(z.record(z.string(), mcpServerSchema)),
    security_policy_filename: absent(z.string(), 'security_policy.j2'),
    system_prompt: absent(z.nullable(z.string())),
    system_prompt_filename: absent(z.string(), 'system_prompt.j2'),
    system_prompt_kwargs: absent(jsonObject),
    tool_concurrency_limit: absent(integer({ minimum: 1 }), 1),
    tools: absent(z.array(toolReferenceSchema)),
  }),
);

/** An agent that a client can describe. */
export type KnownAgent = OpenHandsAgent | AcpAgent;

/** The agent of a conversation. */
export type AgentDescription = KnownAgent | OtherKind;

/** A kind that is not said: every agent has an `llm`, and only an ACP agent has a command. */
function kindOf(agent: Readonly<Record<string, unknown>>): string {
  return 'acp_command' in agent ? 'ACPAgent' : 'Agent';
}

const members = { ACPAgent: acpAgentSchema, Agent: openHandsAgentSchema };

/** An agent that a client asks for. The kind may be left out of one that has an `llm`. */
export const knownAgentSchema: z.ZodType<KnownAgent> = oneOf<KnownAgent>({
  by: 'kind',
  members,
  absent: kindOf,
});

/** An agent that a server tells of. */
export const agentDescriptionSchema: z.ZodType<AgentDescription> = named(
  'AgentBase',
  oneOf<AgentDescription>({ by: 'kind', members, absent: kindOf, other: otherKindSchema, tolerant: true }),
);
