import type { gitRoutes } from '@conv/openhands/rest';
import type { FastifyInstance } from 'fastify';

import { accessOf } from '../auth/caller.ts';
import { ApiError } from '../http/api-error.ts';
import { serveRoute } from '../http/serve-route.ts';
import type { ReachedBy } from './serve-files.ts';
import { refusing } from './workspace-refusals.ts';

/** Serves git's data about the folders that a request reaches. */
export function serveGit(
  app: FastifyInstance,
  routes: Omit<typeof gitRoutes, 'searchRepositories'>,
  reached: ReachedBy,
): void {
  serveRoute(app, routes.listChanges, ({ query, request }) =>
    refusing(async () => {
      const { git, folders } = await reached(request);
      return git.changes(await folders.check(query.path, accessOf(request)), query.ref ?? undefined);
    }),
  );
  serveRoute(app, routes.getDiff, ({ query: { path, ref, commit }, request }) => {
    if (ref !== null && commit !== null) throw new ApiError(400, 'Give either ref or commit, not both');
    return refusing(async () => {
      const { git, folders } = await reached(request);
      const access = accessOf(request);
      return git.diff(await folders.check(path, access), {
        access,
        ...(ref === null ? {} : { ref }),
        ...(commit === null ? {} : { commit }),
      });
    });
  });
  serveRoute(app, routes.listCommits, ({ query, request }) =>
    refusing(async () => {
      const { git, folders } = await reached(request);
      return git.commits(await folders.check(query.path, accessOf(request)), query.limit);
    }),
  );
  serveRoute(app, routes.listCommitChanges, ({ params, query, request }) =>
    refusing(async () => {
      const { git, folders } = await reached(request);
      return git.commitChanges(await folders.check(query.path, accessOf(request)), params.sha);
    }),
  );
}
