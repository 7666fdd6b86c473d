import { resolve } from 'node:path';
import { errorText, type StoredHooks } from '@conv/core';
import {
  desktopRoutes,
  hookRoutes,
  modelRoutes,
  pluginRoutes,
  skillRoutes,
  type SkillsRequest,
  type SkillsResponse,
  subAgentRoutes,
  type RouteTypes,
} from '@conv/openhands/rest';
import type { FastifyInstance } from 'fastify';

import type { ServerPlugins } from '../hosting/server-plugins.ts';
import { ApiError } from '../http/api-error.ts';
import { serveRoute } from '../http/serve-route.ts';
import { serveLeftOut } from './serve-left-out.ts';
import { AllowedFolders } from '../workspace/allowed-folders.ts';
import { servePlugins } from './serve-plugins.ts';

/** Models, skills and hooks that an application offers. Clients ask for them when they configure agents. */
export interface Catalog {
  /** Names of models by provider, the recommended models first. A model is requested as `provider/model`. */
  readonly models: Readonly<Record<string, readonly string[]>>;
  /** Finds the skills that an agent would have. Default: none. */
  readonly skills?: (request: SkillsRequest) => Promise<SkillsResponse>;
  /** Finds the sub-agents that an agent could give tasks to. Default: none. */
  readonly subAgents?: (
    request: RouteTypes<typeof subAgentRoutes.list>['body'],
  ) => Promise<RouteTypes<typeof subAgentRoutes.list>['answer']>;
  /** Reads the hooks of a project; `undefined` when it has none. A rejection is shown to the client. */
  readonly hooks?: (projectDir: string) => Promise<StoredHooks | undefined>;
}

/** The skills that a profile can load: projects have theirs when a conversation opens them, and this server fetches no public ones. */
const OF_USER: SkillsRequest = {
  load_public: false,
  load_user: true,
  load_project: false,
  load_org: false,
  project_dir: null,
  org_config: null,
  sandbox_config: null,
};

/**
 * Serves the application's models, skills, plugins and hooks, and empty answers for features that this server does not have.
 * @param parts `projects`: folders in or below which projects are read: those in which conversations may work
 */
export function serveCatalog(
  app: FastifyInstance,
  catalog: Catalog,
  { projects, plugins }: { readonly projects: readonly string[]; readonly plugins: ServerPlugins | undefined },
): void {
  const folders = new AllowedFolders(projects);
  const { models, skills, subAgents, hooks } = catalog;
  const modelsOf = (provider: string): readonly string[] =>
    Object.hasOwn(models, provider) ? (models[provider] ?? []) : [];
  serveRoute(app, modelRoutes.listProviders, () => ({ providers: Object.keys(models) }));
  serveRoute(app, modelRoutes.listVerified, () => ({ models }));
  serveRoute(app, modelRoutes.list, ({ query: { provider } }) => ({
    models:
      provider === null
        ? Object.entries(models).flatMap(([name, of]) => of.map((model) => `${name}/${model}`))
        : modelsOf(provider),
  }));
  serveRoute(app, skillRoutes.list, ({ body }) =>
    told(async () => {
      if (body.project_dir !== null) await folders.check(resolve(body.project_dir));
      return skills ? skills(body) : { skills: [], sources: {} };
    }),
  );
  serveRoute(app, skillRoutes.listOfProfiles, () =>
    told(async () => {
      const found = await skills?.(OF_USER);
      return { skills: (found?.skills ?? []).map((skill) => ({ ...skill, origin: 'user' as const })) };
    }),
  );
  serveRoute(app, subAgentRoutes.list, ({ body }) =>
    told(async () => {
      if (body.project_dir !== null) await folders.check(resolve(body.project_dir));
      return subAgents ? subAgents(body) : { agents: [] };
    }),
  );
  serveRoute(app, hookRoutes.get, ({ body: { project_dir: dir } }) =>
    told(async () => {
      if (dir !== null) await folders.check(resolve(dir));
      return { hook_config: (dir === null ? undefined : await hooks?.(dir)) ?? null };
    }),
  );
  if (plugins) servePlugins(app, plugins, { folders, told });
  else serveNoPlugins(app);
  serveAbsent(app);
}

/** Serves routes for features that this server does not have. */
function serveAbsent(app: FastifyInstance): void {
  serveNoEditor(app, desktopRoutes);
  serveLeftOut(app);
}

/** Serves the lists of what an application without plugins has. */
function serveNoPlugins(app: FastifyInstance): void {
  serveRoute(app, skillRoutes.listInstalled, () => ({ skills: [] }));
  serveRoute(app, pluginRoutes.list, () => ({ plugins: [] }));
  serveRoute(app, pluginRoutes.listInstalled, () => ({ plugins: [] }));
}

/** Tells that there is no editor, and no desktop. */
export function serveNoEditor(app: FastifyInstance, routes: typeof desktopRoutes): void {
  serveRoute(app, routes.getDesktopUrl, () => {
    throw new ApiError(503, 'This server has no desktop');
  });
  serveRoute(app, routes.getEditorStatus, () => ({
    running: false,
    enabled: false,
    message: 'This server has no editor',
  }));
  serveRoute(app, routes.getEditorUrl, () => {
    throw new ApiError(503, 'This server has no editor');
  });
}

/** Rejects {@link ApiError} 422 for errors about the files of a project, because they are no failure of the server. */
async function told<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Error) || error instanceof ApiError) throw error;
    throw new ApiError(422, errorText(error), { cause: error });
  }
}
