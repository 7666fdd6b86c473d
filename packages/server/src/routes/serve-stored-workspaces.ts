import { workspaceListRoutes } from '@conv/openhands/rest';
import type { FastifyInstance } from 'fastify';

import { servingFiles } from './settings-serving.ts';
import { ApiError } from '../http/api-error.ts';
import type { WorkspacesFile } from '../settings/stored-workspaces.ts';

/** Serves the folders that clients have listed. */
export function serveStoredWorkspaces(app: FastifyInstance, workspaces: WorkspacesFile): void {
  const serve = servingFiles(app, 'Workspaces');
  serve(workspaceListRoutes.list, () => workspaces.get());
  serve(workspaceListRoutes.add, ({ body }) => {
    const items = body.workspaces.map(({ parentPath, ...item }) => ({
      ...item,
      ...(parentPath ? { parentPath } : {}),
    }));
    return workspaces.add('workspaces', items);
  });
  serve(workspaceListRoutes.addParents, ({ body }) => workspaces.add('workspaceParents', body.parents));
  serve(workspaceListRoutes.remove, async ({ query }) => {
    if (!(await workspaces.remove('workspaces', query.path))) throw new ApiError(404, 'Workspace not found');
    return { deleted: true };
  });
  serve(workspaceListRoutes.removeParent, async ({ query }) => {
    if (!(await workspaces.remove('workspaceParents', query.path)))
      throw new ApiError(404, 'Workspace parent not found');
    return { deleted: true };
  });
}
