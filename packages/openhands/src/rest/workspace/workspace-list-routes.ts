import { z } from 'zod';
import type { PathQuery } from './file-routes.ts';
import { defineRoute } from '../define-route.ts';
import { absent } from '../../schema/kept-member.ts';
import { named } from '../../schema/named.ts';
import { answer, request } from '../../schema/objects.ts';
import { deletedSchema } from '../settings/settings-routes.ts';

/** A folder that a person works in. Members are camelCase here. */
export interface WorkspaceItem {
  readonly id: string;
  readonly name: string;
  readonly path: string;
  readonly parentPath?: string | null;
}

/** A folder whose folders a person works in. */
export interface WorkspaceParentItem {
  readonly id: string;
  readonly name: string;
  readonly path: string;
}

/** All of them. */
export interface WorkspaceList {
  readonly workspaces: readonly WorkspaceItem[];
  readonly workspaceParents: readonly WorkspaceParentItem[];
}

const tag = 'Workspaces';
const path = z.string().min(1).max(4096);
const item = { id: path, name: z.string().min(1).max(256), path };
const byPath: z.ZodType<PathQuery> = request({ path: z.string() });
const corrupt = { 409: 'The list that is stored cannot be read.' };
const itemSchema: z.ZodType<WorkspaceItem> = named(
  'WorkspaceItem',
  answer({ ...item, parentPath: absent(z.nullable(z.string().max(4096))) }),
);
const parentSchema: z.ZodType<WorkspaceParentItem> = named('WorkspaceParentItem', answer(item));
const listSchema: z.ZodType<WorkspaceList> = named(
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
