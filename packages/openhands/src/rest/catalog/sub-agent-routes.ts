import { z } from 'zod';
import { defineRoute } from '../define-route.ts';
import { boolean, integer, jsonObject, keptAs, number, orNull, requestAs } from '../../schema/index.ts';
import { condenserDescriptionSchema } from '../../descriptions/condenser.ts';
import { hookConfigSchema } from '../../descriptions/hook-config.ts';
import { mcpServerSchema } from '../../descriptions/mcp-server.ts';

const subAgentsRequestSchema = requestAs('SubAgentsRequest', {
  load_user: boolean().default(true),
  load_project: boolean().default(true),
  load_builtin: boolean().default(true),
  project_dir: orNull(z.string()),
});

/** An agent that can help. */
const subAgentInfoSchema = keptAs('SubAgentInfo', {
  name: z.string(),
  description: z.string().default(''),
  model: z.string().default('inherit'),
  color: orNull(z.string()),
  tools: z.array(z.string()).default([]),
  skills: z.array(z.string()).default([]),
  system_prompt: z.string().default(''),
  when_to_use_examples: z.array(z.string()).default([]),
  permission_mode: orNull(z.string()),
  max_iteration_per_run: orNull(integer()),
  max_budget_per_run: orNull(number()),
  mcp_config: orNull(z.record(z.string(), mcpServerSchema)),
  mcp_servers: orNull(z.record(z.string(), mcpServerSchema)),
  profile_store_dir: orNull(z.string()),
  hooks: orNull(hookConfigSchema),
  condenser: orNull(condenserDescriptionSchema),
  metadata: jsonObject.default({}),
  level: orNull(z.enum(['project', 'user', 'builtin', 'plugin', 'programmatic'])),
  source: orNull(z.string()),
  is_builtin: boolean().default(false),
});

/** All agents that can help. */
const subAgentsResponseSchema = keptAs('SubAgentsResponse', { agents: z.array(subAgentInfoSchema) });

/** Routes of sub-agents. */
export const subAgentRoutes = {
  list: defineRoute('Sub-agents', 'POST /api/sub-agents', 'get_sub_agents', 'List agents that can help', {
    scope: 'read',
    allConversations: true,
    body: subAgentsRequestSchema,
    answer: subAgentsResponseSchema,
  }),
};
