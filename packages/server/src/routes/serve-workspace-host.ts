import multipart from '@fastify/multipart';
import type { FastifyInstance } from 'fastify';
import { gitRoutes } from '@conv/openhands/rest';

import type { SocketHandler } from '../sockets/socket-handler.ts';
import { WorkspaceHost, type WorkspaceHostOptions, type WorkspaceHostDeps } from '../workspace/workspace-host.ts';
import { bashSocketOf, serveBash } from './serve-bash.ts';
import { serveFiles } from './serve-files.ts';
import { accessOf, callerOf } from '../auth/caller.ts';
import { ApiError } from '../http/api-error.ts';
import { serveRoute } from '../http/serve-route.ts';
import { refusing } from './workspace-refusals.ts';

/** Serves the server's machine: files, git, commands. Resolves with the socket on which commands are seen. */
export async function serveWorkspaceHost(
  app: FastifyInstance,
  options: WorkspaceHostOptions,
  deps: WorkspaceHostDeps,
): Promise<SocketHandler> {
  const workspaceHost = new WorkspaceHost(options, deps);
  workspaceHost.liveWith(app);
  await app.register(multipart);
  serveBash(app, workspaceHost);
  serveGit(app, workspaceHost);
  serveFiles(app, workspaceHost);
  return bashSocketOf(workspaceHost);
}

/** Serves git's data about the folders of the machine. */
function serveGit(app: FastifyInstance, workspaceHost: WorkspaceHost): void {
  serveRoute(app, gitRoutes.listChanges, ({ query, request }) =>
    refusing(async () => {
      const { git, folders } = await workspaceHost.reachedBy(callerOf(request));
      return git.changes(await folders.check(query.path, accessOf(request)), query.ref ?? undefined);
    }),
  );
  serveRoute(app, gitRoutes.getDiff, ({ query: { path, ref, commit }, request }) => {
    if (ref !== null && commit !== null) throw new ApiError(400, 'Give either ref or commit, not both');
    return refusing(async () => {
      const { git, folders } = await workspaceHost.reachedBy(callerOf(request));
      return git.diff(await folders.check(path, accessOf(request)), {
        ...(ref === null ? {} : { ref }),
        ...(commit === null ? {} : { commit }),
      });
    });
  });
  serveRoute(app, gitRoutes.listCommits, ({ query, request }) =>
    refusing(async () => {
      const { git, folders } = await workspaceHost.reachedBy(callerOf(request));
      return git.commits(await folders.check(query.path, accessOf(request)), query.limit);
    }),
  );
  serveRoute(app, gitRoutes.listCommitChanges, ({ params, query, request }) =>
    refusing(async () => {
      const { git, folders } = await workspaceHost.reachedBy(callerOf(request));
      return git.commitChanges(await folders.check(query.path, accessOf(request)), params.sha);
    }),
  );
}
