import { workspaceListRoutes } from '@conv/openhands/rest';
import type { FastifyInstance } from 'fastify';

import { ApiError } from '../http/api-error.ts';
import { serveRoute } from '../http/serve-route.ts';
import { readable } from '../settings/secret-exposure.ts';
import type { WorkspacesFile } from '../settings/stored-workspaces.ts';

/** Serves the folders that clients have listed. */
export function serveStoredWorkspaces(app: FastifyInstance, workspaces: WorkspacesFile): void {
  serveRoute(app, workspaceListRoutes.list, () => readable('Workspaces', () => workspaces.get()));
  serveRoute(app, workspaceListRoutes.add, ({ body }) =>
    readable('Workspaces', () =>
      workspaces.add(
        'workspaces',
        body.workspaces.map(({ parentPath, ...item }) => ({ ...item, ...(parentPath ? { parentPath } : {}) })),
      ),
    ),
  );
  serveRoute(app, workspaceListRoutes.addParents, ({ body }) =>
    readable('Workspaces', () => workspaces.add('workspaceParents', body.parents)),
  );
  serveRoute(app, workspaceListRoutes.remove, ({ query }) =>
    readable('Workspaces', async () => {
      if (!(await workspaces.remove('workspaces', query.path))) throw new ApiError(404, 'Workspace not found');
      return { deleted: true };
    }),
  );
  serveRoute(app, workspaceListRoutes.removeParent, ({ query }) =>
    readable('Workspaces', async () => {
      if (!(await workspaces.remove('workspaceParents', query.path)))
        throw new ApiError(404, 'Workspace parent not found');
      return { deleted: true };
    }),
  );
}
