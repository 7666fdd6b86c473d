import { z } from 'zod';
import { boolean, jsonObject, keptAs, orNull, requestAs } from '../../schema/index.ts';
import { defineRoute } from '../define-route.ts';

/** Routes of agents that are other programs (ACP). Of OpenHands' 1.54. */
export const acpRoutes = {
  /** Starts the program of such an agent, and asks it for its models. No person decides on that, as on the trial of an MCP server. */
  discoverModels: defineRoute('ACP', 'POST /api/acp/models', 'discover_models', 'List the models of an ACP agent', {
    scope: ['admin', 'approve'],
    allConversations: true,
    body: requestAs('ACPModelDiscoveryRequest', {
      agent_settings: jsonObject,
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
