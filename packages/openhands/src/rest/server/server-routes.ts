import { z } from 'zod';
import { defineRoute } from '../define-route.ts';
import { initRoutes } from './init-routes.ts';
import { readAudit } from './audit-route.ts';
import { boolean, keptAs, number, orNull } from '../../schema/index.ts';

const tag = 'Server';
const unknown = z.string().default('unknown');

const serverInfoSchema = keptAs('ServerInfo', {
  /** Seconds since the start. */
  uptime: number(),
  /** Seconds since the last request. */
  idle_time: number(),
  title: z.string().default('OpenHands Agent Server'),
  /** SemVer. Clients choose their requests by it. */
  version: unknown,
  sdk_version: unknown,
  tools_version: unknown,
  workspace_version: unknown,
  build_git_sha: unknown,
  build_git_ref: unknown,
  python_version: unknown,
  usable_tools: z.array(z.string()).default([]),
  runtime_idle_timeout_seconds: orNull(number()),
  /** Capabilities beyond OpenHands' 1.43.1. */
  capabilities: z.array(z.string()).default([]),
  max_foreground_terminal_timeout_seconds: orNull(number()),
  /** The version of the program that serves; null if the server is a part of another program. */
  conv_version: orNull(z.string()),
  /** The reason for which the server takes no commands; null if it takes them. */
  read_only: orNull(z.string()),
  /** The name of the sandbox in which commands run; null without one. */
  sandbox: orNull(z.string()),
  /** The reason for which commands run without a sandbox that was asked for; null otherwise. */
  unconfined: orNull(z.string()),
  /** Names of the protocols that the server speaks beside its own routes, such as `a2a`. */
  protocols: z.array(z.string()).default([]),
  /** Where the tools of a conversation act whose client names no place. */
  conversation_runtime: z.string().default('local'),
  /** The places that a client may choose; empty if there is only one. */
  available_conversation_runtimes: z.array(z.string()).default([]),
  /** The address of programs of extensions; null, because none run here. Of OpenHands' 1.50. */
  app_backend_ingress_url: orNull(z.string()),
  docs: z.string().default('/docs'),
  redoc: z.string().default('/redoc'),
});

/** Description of a server, with its capabilities. */
export type ServerInfo = z.output<typeof serverInfoSchema>;

/** A tool that an agent can be configured with. */
const toolCatalogEntrySchema = keptAs('ToolCatalogEntry', {
  name: z.string(),
  user_selectable: boolean().default(true),
  usable: boolean().default(true),
  description: z.string().default(''),
  /** True if an agent gets the tool whose profile names none. */
  in_default_set: boolean().default(false),
});

const healthStatusSchema = keptAs('HealthStatus', { status: z.string() });

/** Routes about the server itself. */
export const serverRoutes = {
  readAudit,
  ...initRoutes,

  getAlive: defineRoute(tag, 'GET /alive', 'alive', 'Check that the server is alive', {
    scope: 'none',
    auth: 'none',
    answer: healthStatusSchema,
  }),

  getHealth: defineRoute(tag, 'GET /health', 'health', 'Check the health of the server', {
    scope: 'none',
    auth: 'none',
    answer: healthStatusSchema,
  }),

  getReady: defineRoute(tag, 'GET /ready', 'ready', 'Check that the server takes requests', {
    scope: 'none',
    auth: 'none',
    answer: z.record(z.string(), z.string()),
    errors: { 503: 'The server is starting or stopping.' },
  }),

  getInfo: defineRoute(tag, 'GET /server_info', 'get_server_info', 'Describe the server and its capabilities', {
    scope: 'none',
    auth: 'none',
    answer: serverInfoSchema,
  }),

  getMetrics: defineRoute(tag, 'GET /metrics', 'get_metrics', 'Counters and gauges for Prometheus', {
    scope: 'read',
    allConversations: true,
    answer: { mediaType: 'text/plain; version=0.0.4' },
    extension: true,
  }),

  /** Lists the names of registered tools, usable or not. */
  listTools: defineRoute('Tools', 'GET /api/tools/', 'list_available_tools', 'List registered tools', {
    scope: 'read',
    answer: z.array(z.string()),
  }),

  /** Describes the tools with which an agent can be configured. Of OpenHands' 1.51. */
  describeTools: defineRoute('Tools', 'GET /api/tools/catalog', 'get_tool_catalog', 'Describe the tools', {
    scope: 'read',
    answer: keptAs('ToolCatalogResponse', { tools: z.array(toolCatalogEntrySchema) }),
  }),
};
