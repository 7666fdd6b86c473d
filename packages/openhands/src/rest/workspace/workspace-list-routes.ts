import { z } from 'zod';
import { defineRoute } from '../define-route.ts';
import { absent, kept, keptAs, named, request, requestAs } from '../../schema/index.ts';
import { deletedSchema } from '../settings/settings-routes.ts';

const tag = 'Workspaces';
const path = z.string().min(1).max(4096);
const item = { id: path, name: z.string().min(1).max(256), path };
const byPath = request({ path: z.string() });
const corrupt = { 409: 'The list that is stored cannot be read.' };
/** A folder that a person works in. Members are camelCase here. */
const itemSchema = keptAs('WorkspaceItem', { ...item, parentPath: absent(z.nullable(z.string().max(4096))) });
/** A folder whose folders a person works in. */
const parentSchema = named('WorkspaceParentItem', kept(item));
/** All of them. */
const listSchema = keptAs('WorkspacesResponse', {
  workspaces: z.array(itemSchema).default([]),
  workspaceParents: z.array(parentSchema).default([]),
});

/** Routes of the list of folders that a person works in. */
export const workspaceListRoutes = {
  list: defineRoute(tag, 'GET /api/workspaces', 'list_workspaces', 'List folders', {
    scope: 'read',
    allConversations: true,
    answer: listSchema,
    errors: corrupt,
  }),

  add: defineRoute(tag, 'POST /api/workspaces', 'add_workspaces', 'Add folders', {
    scope: 'admin',
    body: requestAs('AddWorkspacesRequest', { workspaces: z.array(itemSchema) }),
    answer: listSchema,
    errors: corrupt,
  }),

  /** Removes a folder from the list; the folder itself stays. */
  remove: defineRoute(tag, 'DELETE /api/workspaces', 'delete_workspace', 'Remove a folder from the list', {
    scope: 'admin',
    query: byPath,
    answer: deletedSchema,
    errors: corrupt,
  }),

  addParents: defineRoute(tag, 'POST /api/workspaces/parents', 'add_workspace_parents', 'Add folders of folders', {
    scope: 'admin',
    body: requestAs('AddWorkspaceParentsRequest', { parents: z.array(parentSchema) }),
    answer: listSchema,
    errors: corrupt,
  }),

  removeParent: defineRoute(
    tag,
    'DELETE /api/workspaces/parents',
    'delete_workspace_parent',
    'Remove a folder of folders from the list',
    { scope: 'admin', query: byPath, answer: deletedSchema, errors: corrupt },
  ),
};
