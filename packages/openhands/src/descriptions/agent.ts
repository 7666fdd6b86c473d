import { z } from 'zod';
import type { JsonObject } from '@conv/core/events';
import { absent, boolean, described, integer, jsonObject, named, number, oneOf } from '../schema/index.ts';
import { agentContextSchema } from './agent-context.ts';
import { condenserDescriptionSchema } from './condenser.ts';
import { criticDescriptionSchema } from './critic.ts';
import { llmDescriptionSchema } from './llm.ts';
import { mcpServerSchema } from './mcp-server.ts';
import { otherKindSchema } from './other-kind.ts';

/** A secret that an ACP agent reads from a file. */
const acpFileSecretSchema = described('ACPFileSecretSpec', {
  env_points_to: absent(z.enum(['dir', 'file']), 'file'),
  env_var: z.string().min(1),
  filename: z.string().min(1),
  secret_name: z.string().min(1),
  subdir: z.string().min(1),
  warn_if_unset: absent(z.array(z.string())),
});

/** A tool by its registered name, and its parameters. */
export const toolReferenceSchema = described('openhands__sdk__tool__spec__Tool', {
  name: z.string(),
  params: absent(jsonObject),
});

function commonMembers(kind: string, llm: z.ZodType): z.core.$ZodLooseShape {
  return {
    agent_context: absent(z.nullable(agentContextSchema)),
    condenser: absent(z.nullable(condenserDescriptionSchema)),
    critic: absent(z.nullable(criticDescriptionSchema)),
    filter_tools_regex: absent(z.nullable(z.string())),
    include_default_tools: absent(z.array(z.string())),
    kind: absent(z.literal(kind)),
    llm,
    mcp_config: absent(z.record(z.string(), mcpServerSchema)),
    security_policy_filename: absent(z.string(), 'security_policy.j2'),
    system_prompt: absent(z.nullable(z.string())),
    system_prompt_filename: absent(z.string(), 'system_prompt.j2'),
    system_prompt_kwargs: absent(jsonObject),
    tool_concurrency_limit: absent(integer({ minimum: 1 }), 1),
    tools: absent(z.array(toolReferenceSchema)),
  };
}

/** An agent that calls a model and tools. */
const openHandsAgentSchema = described('Agent', {
  ...commonMembers('Agent', llmDescriptionSchema),
  /** Role and way of working of the agent, in the place of that part of the default prompt. Of OpenHands' 1.51. */
  persona: absent(z.nullable(z.string())),
});

/** An agent in another process, spoken to by the Agent Client Protocol. */
const acpAgentSchema = described('ACPAgent', {
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
  ...commonMembers('ACPAgent', absent(llmDescriptionSchema)),
});

/** Returns the kind of an agent that names none: only an ACP agent has a command; every other agent has an `llm`. */
function kindOf(agent: Readonly<Record<string, unknown>>): string {
  return 'acp_command' in agent ? 'ACPAgent' : 'Agent';
}

const members = { ACPAgent: acpAgentSchema, Agent: openHandsAgentSchema };

/** An agent that a client can describe. */
export const knownAgentSchema = oneOf<JsonObject>({
  by: 'kind',
  members,
  absent: kindOf,
});

/** The agent of a conversation. */
export const agentDescriptionSchema = named(
  'AgentBase',
  oneOf<JsonObject>({ by: 'kind', members, absent: kindOf, other: otherKindSchema, tolerant: true }),
);
