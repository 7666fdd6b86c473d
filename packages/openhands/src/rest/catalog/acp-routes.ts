import { z } from 'zod';
import {
  absent,
  boolean,
  integer,
  jsonObject,
  keptAs,
  number,
  openRequestAs,
  orNull,
  requestAs,
} from '../../schema/index.ts';
import { defineRoute } from '../define-route.ts';

/**
 * Settings of an agent that is another program. A member of another type is refused, so that no program is started without what its sender meant to
 * say. The names of `acp_server` are not checked, because newer releases have more.
 */
const acpAgentSettingsSchema = openRequestAs('ACPAgentSettings', {
  schema_version: absent(integer({ minimum: 1 })),
  agent_kind: absent(z.literal('acp'), 'acp'),
  acp_server: absent(z.string(), 'claude-code'),
  /** Absent or empty: the installed program of `acp_server`. */
  acp_command: absent(z.array(z.string())),
  acp_args: absent(z.array(z.string())),
  acp_model: absent(z.nullable(z.string())),
  acp_session_mode: absent(z.nullable(z.string())),
  acp_prompt_timeout: absent(number({ above: 0 }), 1800),
  acp_startup_timeout: absent(number({ above: 0 }), 90),
  acp_isolate_data_dir: absent(boolean(), false),
  acp_file_secrets: absent(z.array(jsonObject)),
  mcp_config: absent(z.record(z.string(), jsonObject)),
  agent_context: absent(z.nullable(jsonObject)),
});

/** Routes of agents that are other programs (ACP). Of OpenHands' 1.54. */
export const acpRoutes = {
  /** Starts the program of such an agent, and asks it for its models. No person decides on that, as on the trial of an MCP server. */
  discoverModels: defineRoute('ACP', 'POST /api/acp/models', 'discover_models', 'List the models of an ACP agent', {
    scope: ['admin', 'approve'],
    allConversations: true,
    body: requestAs('ACPModelDiscoveryRequest', {
      agent_settings: acpAgentSettingsSchema,
      secrets: jsonObject.default({}),
      refresh: boolean().default(false),
    }),
    answer: keptAs('ACPModelDiscovery', {
      agent_name: orNull(z.string()),
      agent_version: orNull(z.string()),
      current_model_id: orNull(z.string()),
      available_models: z.array(jsonObject).default([]),
      supports_runtime_model_switch: boolean().default(false),
      error: orNull(keptAs('ACPModelDiscoveryError', { code: z.string(), detail: z.string() })),
    }),
  }),
};
