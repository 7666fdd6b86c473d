import { sessionRoutes, WORKSPACE_COOKIE } from '@conv/openhands/rest';
import type { FastifyInstance } from 'fastify';

import { serveRoute } from '../http/serve-route.ts';
import { cookieOf } from '../auth/key-digests.ts';
import { sessionKeyOf } from '../auth/route-auth.ts';

/** Cookie attributes for pages embedded in pages of another origin, limited to the paths of workspaces. */
const WHERE = 'Path=/api/conversations; HttpOnly; Secure; SameSite=none; Partitioned';

const TEN_YEARS = 315_360_000;

/** Hands a browser a cookie for the pages of workspaces, in exchange for its key, and deletes it. The cookie opens nothing else. */
export function serveWorkspaceSession(app: FastifyInstance): void {
  serveRoute(app, sessionRoutes.start, ({ request, reply }) => {
    const key = sessionKeyOf(request);
    // a server without keys sets no cookie
    if (key !== undefined) void reply.header('set-cookie', toCookie(cookieOf(key, 'workspace'), TEN_YEARS));
  });
  serveRoute(app, sessionRoutes.end, ({ reply }) => void reply.header('set-cookie', toCookie('', 0)));
}

function toCookie(value: string, seconds: number): string {
  return `${WORKSPACE_COOKIE}=${value}; Max-Age=${seconds}; ${WHERE}`;
}
