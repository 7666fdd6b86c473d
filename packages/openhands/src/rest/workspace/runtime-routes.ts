import { z } from 'zod';
import type { Route } from '../route.ts';
import { request, uuid, uuidKey } from '../../schema/index.ts';
import { bashRoutes } from './bash-routes.ts';
import { desktopRoutes } from './desktop-routes.ts';
import { fileRoutes } from './file-routes.ts';
import { commitName, gitRoutes } from './git-routes.ts';

const at = { runtime_conversation_id: uuid };
const params = {
  [bashRoutes.stop.path]: request({ ...at, command_id: uuidKey }),
  [bashRoutes.get.path]: request({ ...at, event_id: z.string() }),
  [gitRoutes.listCommitChanges.path]: request({ ...at, sha: commitName }),
  [fileRoutes.downloadTrajectory.path]: request({ ...at, conversation_id: uuid }),
};

/** Returns the same routes below a conversation, whose folder they act in. Of OpenHands' 1.48. */
function within<Table extends Readonly<Record<string, Route>>>(table: Table): Table {
  const routes = Object.entries<Route>(table).map(([name, route]) => [
    name,
    {
      ...route,
      path: route.path.replace('/api/', '/api/conversations/{runtime_conversation_id}/'),
      operationId: `${route.operationId}_of_conversation`,
      params: params[route.path] ?? request(at),
      errors: { ...route.errors, 404: 'There is no such conversation, or not what is asked for in it.' },
    },
  ]);
  return Object.fromEntries(routes) as Table;
}

const { searchRepositories: _search, ...git } = gitRoutes;
const { getHome: _home, searchFolders: _folders, ...files } = fileRoutes;

/**
 * Routes of the workspace of one conversation: its commands, files, repository and editor, each like the route without a conversation. A
 * path must lie in the folder of the conversation, and a command that names no folder runs there.
 */
export const runtimeRoutes: {
  readonly bash: typeof bashRoutes;
  readonly files: Omit<typeof fileRoutes, 'getHome' | 'searchFolders'>;
  readonly git: Omit<typeof gitRoutes, 'searchRepositories'>;
  readonly editor: typeof desktopRoutes;
} = { bash: within(bashRoutes), files: within(files), git: within(git), editor: within(desktopRoutes) };
