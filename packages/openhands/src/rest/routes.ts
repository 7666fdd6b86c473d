import { conversationRoutes } from './conversations/conversation-routes.ts';
import { commandRoutes } from './conversations/command-routes.ts';
import { workspaceRoutes } from './conversations/workspace-routes.ts';
import { historyRoutes } from './conversations/history-routes.ts';
import { pastRoutes } from './conversations/past-routes.ts';
import { eventRoutes } from './conversations/event-routes.ts';
import { bashRoutes } from './workspace/bash-routes.ts';
import { fileRoutes } from './workspace/file-routes.ts';
import { gitRoutes } from './workspace/git-routes.ts';
import { serverRoutes } from './server/server-routes.ts';
import { settingsRoutes } from './settings/settings-routes.ts';
import { llmProfileRoutes } from './settings/llm-profile-routes.ts';
import { modelStoreRoutes } from './settings/model-store-routes.ts';
import { agentProfileRoutes } from './settings/agent-profile-routes.ts';
import { modelRoutes } from './catalog/llm-routes.ts';
import { skillRoutes } from './catalog/skill-routes.ts';
import { acpRoutes } from './catalog/acp-routes.ts';
import { leftOutRoutes } from './catalog/left-out-routes.ts';
import { pluginRoutes } from './catalog/plugin-routes.ts';
import { hookRoutes } from './catalog/hook-routes.ts';
import { subAgentRoutes } from './catalog/sub-agent-routes.ts';
import { mcpRoutes } from './catalog/mcp-routes.ts';
import { workspaceListRoutes } from './workspace/workspace-list-routes.ts';
import { desktopRoutes } from './workspace/desktop-routes.ts';
import { runtimeRoutes } from './workspace/runtime-routes.ts';
import { sessionRoutes } from './server/session-routes.ts';
import type { Route } from './route.ts';

/** Every route, in the order in which the OpenAPI document lists them. */
export const routes: readonly Route[] = [
  conversationRoutes,
  commandRoutes,
  workspaceRoutes,
  historyRoutes,
  pastRoutes,
  eventRoutes,
  bashRoutes,
  fileRoutes,
  gitRoutes,
  serverRoutes,
  settingsRoutes,
  llmProfileRoutes,
  ...Object.values<Readonly<Record<string, Route>>>(modelStoreRoutes),
  agentProfileRoutes,
  modelRoutes,
  skillRoutes,
  pluginRoutes,
  hookRoutes,
  subAgentRoutes,
  acpRoutes,
  ...Object.values<Readonly<Record<string, Route>>>(leftOutRoutes),
  mcpRoutes,
  workspaceListRoutes,
  desktopRoutes,
  ...Object.values<Readonly<Record<string, Route>>>(runtimeRoutes),
  sessionRoutes,
].flatMap((table) => Object.values<Route>(table));
