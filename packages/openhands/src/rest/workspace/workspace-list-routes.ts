import { z } from 'zod';
import { defineRoute } from '../define-route.ts';
import { absent } from '../../schema/kept-member.ts';
import { named } from '../../schema/named.ts';
import { answer, request } from '../../schema/objects.ts';
import { deletedSchema } from '../settings/settings-routes.ts';

const tag = 'Workspaces';
const path = z.string().min(1).max(4096);
const item = { id: path, name: z.string().min(1).max(256), path };
const byPath = request({ path: z.string() });
const corrupt = { 409: 'The list that is stored cannot be read.' };
/** A folder that a person works in. Members are camelCase here. */
const itemSchema = named('WorkspaceItem', answer({ ...item, parentPath: absent(z.nullable(z.string().max(4096))) }));
/** A folder whose folders a person works in. */
const parentSchema = named('WorkspaceParentItem', answer(item));
/** All of them. */
const listSchema = named(
  'WorkspacesResponse',
  answer({ workspaces: z.array(itemSchema).default([]), workspaceParents: z.array(parentSchema).default([]) }),
);

/** Routes of the list of folders that a person works in. */
export const workspaceListRoutes = {
  /** Lists the folders that a person works in. */
  list: defineRoute(tag, 'GET /api/workspaces', 'list_workspaces', 'List folders', {
    answer: listSchema,
    errors: corrupt,
  }),

  /** Adds folders. */
  add: defineRoute(tag, 'POST /api/workspaces', 'add_workspaces', 'Add folders', {
    body: named('AddWorkspacesRequest', request({ workspaces: z.array(itemSchema) })),
    answer: listSchema,
    errors: corrupt,
  }),

  /** Removes a folder from the list; the folder itself stays. */
  remove: defineRoute(tag, 'DELETE /api/workspaces', 'delete_workspace', 'Remove a folder from the list', {
    query: byPath,
    answer: deletedSchema,
    errors: corrupt,
  }),

  /** Adds folders of folders. */
  addParents: defineRoute(tag, 'POST /api/workspaces/parents', 'add_workspace_parents', 'Add folders of folders', {
    body: named('AddWorkspaceParentsRequest', request({ parents: z.array(parentSchema) })),
    answer: listSchema,
    errors: corrupt,
  }),

  /** Removes a folder of folders from the list. */
  removeParent: defineRoute(
    tag,
    'DELETE /api/workspaces/parents',
    'delete_workspace_parent',
    'Remove a folder of folders from the list',
    { query: byPath, answer: deletedSchema, errors: corrupt },
  ),
};
