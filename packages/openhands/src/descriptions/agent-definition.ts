import { z } from 'zod';
import { absent, described, integer, jsonObject, number } from '../schema/index.ts';
import { condenserDescriptionSchema } from './condenser.ts';
import { requestedHookConfigSchema } from './hook-config.ts';
import { mcpServerSchema } from './mcp-server.ts';

/** Policies for the calls of a sub-agent. OpenHands' server takes any text, and fails when the sub-agent starts. */
const MODES = ['always_confirm', 'confirm_risky', 'never_confirm'] as const;

const isName = (name: string): boolean => name.trim() !== '';

/** A sub-agent that may be started. */
export const agentDefinitionSchema = described('AgentDefinition', {
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
  // it becomes a tag of the sub-agent's conversation
  name: z.string().min(1).max(128).refine(isName, 'expected a character other than spaces'),
  permission_mode: absent(z.nullable(z.enum(MODES))),
  profile_store_dir: absent(z.nullable(z.string())),
  skills: absent(z.array(z.string())),
  source: absent(z.nullable(z.string())),
  system_prompt: absent(z.string(), ''),
  tools: absent(z.array(z.string())),
  when_to_use_examples: absent(z.array(z.string())),
});
