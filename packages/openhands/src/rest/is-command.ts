import { hookRoutes } from './catalog/hook-routes.ts';
import { pluginRoutes } from './catalog/plugin-routes.ts';
import { skillRoutes } from './catalog/skill-routes.ts';
import { subAgentRoutes } from './catalog/sub-agent-routes.ts';
import { sessionRoutes } from './server/session-routes.ts';
import { streamRoutes } from './conversations/stream-routes.ts';
import type { Route } from './route.ts';

/** Routes with other methods than GET that write nothing: they read what a workspace has, or set a cookie. */
const READS: ReadonlySet<string> = new Set(
  [
    hookRoutes.get,
    pluginRoutes.list,
    skillRoutes.list,
    subAgentRoutes.list,
    sessionRoutes.openSession,
    sessionRoutes.closeSession,
    sessionRoutes.start,
    sessionRoutes.end,
    streamRoutes.ticket,
  ].map(({ operationId }) => operationId),
);

/** True if a route may change something: a conversation, a setting, a file, or what a model costs. A read-only server refuses it. */
export function isCommand({ method, operationId }: Pick<Route, 'method' | 'operationId'>): boolean {
  return method !== 'GET' && !READS.has(operationId);
}
