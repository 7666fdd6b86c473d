import { z } from 'zod';
import type { JsonObject } from '@conv/core/events';
import { absent } from '../schema/kept-member.ts';
import { named } from '../schema/named.ts';
import { kept } from '../schema/objects.ts';
import { integer, jsonObject, number } from '../schema/scalars.ts';
import { type CondenserDescription, condenserDescriptionSchema } from './condenser.ts';
import { type HookConfig, requestedHookConfigSchema } from './hook-config.ts';
import { type McpServer, mcpServerSchema } from './mcp-server.ts';

/** A sub-agent that may be started. */
export interface AgentDefinition {
  readonly color?: string | null;
  readonly condenser?: CondenserDescription | null;
  readonly description?: string;
  readonly hooks?: HookConfig | null;
  readonly level?: 'project' | 'user' | 'builtin' | 'plugin' | 'programmatic' | null;
  readonly max_budget_per_run?: number | null;
  readonly max_iteration_per_run?: number | null;
  readonly mcp_config?: Readonly<Record<string, McpServer>> | null;
  readonly metadata?: JsonObject;
  readonly model?: string;
  readonly name: string;
  readonly permission_mode?: string | null;
  readonly profile_store_dir?: string | null;
  readonly skills?: readonly string[];
  readonly source?: string | null;
  readonly system_prompt?: string;
  readonly tools?: readonly string[];
  readonly when_to_use_examples?: readonly string[];
}

/** The schema of {@link AgentDefinition}. */
export const agentDefinitionSchema: z.ZodType<AgentDefinition> = named(
  'AgentDefinition',
  kept({
    color: absent(z.nullable(z.string())),
    condenser: absent(z.nullable(condenserDescriptionSchema)),
    description: absent(z.string(), ''),
    hooks: absent(z.nullable(requestedHookConfigSchema)),
    level: absent(z.nullable(z.enum(['project', 'user', 'builtin', 'plugin', 'programmatic']))),
    max_budget_per_run: absent(z.nullable(number({ above: 0 }))),
    max_iteration_per_run: absent(z.nullable(integer({ above: 0 }))),
    mcp_config: absent(z.nullable(z.record(z.string(), mcpServerSchema))),
    metadata: absent(jsonObject),
    model: absent(z.string(), 'inherit'),
    name: z.string(),
    permission_mode: absent(z.nullable(z.string())),
    profile_store_dir: absent(z.nullable(z.string())),
    skills: absent(z.array(z.string())),
    source: absent(z.nullable(z.string())),
    system_prompt: absent(z.string(), ''),
    tools: absent(z.array(z.string())),
    when_to_use_examples: absent(z.array(z.string())),
  }),
);
