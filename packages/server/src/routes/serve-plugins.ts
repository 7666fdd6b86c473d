import { resolve } from 'node:path';
import { errorText } from '@conv/core';
import { pluginRoutes, skillRoutes } from '@conv/openhands/rest';
import type { FastifyInstance } from 'fastify';

import type {
  InstalledExtensions,
  InstalledSkill,
  Offered,
  ReadPlugin,
  RefusedInstallation,
  ServerPlugins,
} from '../hosting/server-plugins.ts';
import { ApiError } from '../http/api-error.ts';
import { serveRoute } from '../http/serve-route.ts';
import type { AllowedFolders } from '../workspace/allowed-folders.ts';
import { fetchPlugin } from './fetch-plugin.ts';

/** Parts of the catalog that these routes use. */
interface CatalogParts {
  /** Folders in or below which projects are read. */
  readonly folders: AllowedFolders;
  /** Answers 422 for errors about the files of a project. */
  readonly told: <T>(work: () => Promise<T>) => Promise<T>;
}

const STATUS: Readonly<Record<RefusedInstallation, number>> = {
  INVALID_SOURCE: 400,
  FETCH_FAILED: 400,
  EXISTS: 409,
  TOO_LARGE: 422,
  INVALID: 422,
  DAMAGED: 422,
};

/** Serves the skills and plugins that clients install, and what the marketplace offers. */
export function servePlugins(app: FastifyInstance, plugins: ServerPlugins, { folders, told }: CatalogParts): void {
  serveSkills(app, plugins);
  serveInstalledPlugins(app, plugins);
  serveRoute(app, pluginRoutes.fetch, ({ body }) => fetchPlugin(plugins, body));
  serveRoute(app, pluginRoutes.list, ({ body: { load_user: user, load_project: project, project_dir: dir } }) =>
    told(async () => {
      if (dir !== null) await folders.check(resolve(dir));
      const found = [
        ...(user ? await plugins.ofUser() : []),
        ...(project && dir !== null ? await plugins.ofProject(resolve(dir)) : []),
      ];
      const byName = new Map(found.map((plugin) => [plugin.name, plugin]));
      return { plugins: await Promise.all([...byName.values()].map((plugin) => infoOf(plugins, plugin))) };
    }),
  );
}

function serveSkills(app: FastifyInstance, plugins: ServerPlugins): void {
  const { skills } = plugins;
  const missing = (name: string): ApiError => new ApiError(404, `Skill '${name}' is not installed`);
  serveRoute(app, skillRoutes.install, ({ body: { force, ...source } }) =>
    orRefused(skills.install(source, { force })),
  );
  serveRoute(app, skillRoutes.listInstalled, async () => ({ skills: [...(await orRefused(skills.list()))] }));
  serveRoute(app, skillRoutes.getInstalled, async ({ params: { skill_name: name } }) => {
    const found = await orRefused(skills.get(name));
    if (!found) throw missing(name);
    return found;
  });
  serveRoute(app, skillRoutes.updateInstalled, async ({ params: { skill_name: name }, body: { enabled } }) => {
    if (!(await orRefused(skills.setEnabled(name, enabled)))) throw missing(name);
    return { name, enabled };
  });
  serveRoute(app, skillRoutes.removeInstalled, async ({ params: { skill_name: name } }) => {
    if (!(await orRefused(skills.remove(name)))) throw missing(name);
    return { message: `Skill '${name}' uninstalled` };
  });
  serveRoute(app, skillRoutes.refreshInstalled, async ({ params: { skill_name: name } }) => {
    const skill = await orRefused(skills.update(name));
    if (!skill) throw missing(name);
    return { message: `Skill '${name}' updated`, skill };
  });
  serveRoute(app, skillRoutes.listMarketplace, async () => {
    const [offered, names] = await Promise.all([plugins.marketplace(), namesOf(skills)]);
    const taken = new Set(offered.plugins.map(({ name }) => name));
    const all = [...offered.plugins, ...offered.skills.filter(({ name }) => !taken.has(name))];
    return {
      skills: all.map((entry) => ({
        name: entry.name,
        description: entry.description,
        source: sourceOf(entry),
        installed: names.has(entry.name),
      })),
    };
  });
  serveRoute(app, skillRoutes.sync, async () => {
    try {
      await plugins.sync();
      return { status: 'success' as const, message: 'Skills repository synced successfully' };
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      return { status: 'error' as const, message: `Sync failed: ${errorText(error)}` };
    }
  });
}

function serveInstalledPlugins(app: FastifyInstance, plugins: ServerPlugins): void {
  const installed = plugins.plugins;
  const missing = (name: string): ApiError => new ApiError(404, `Plugin '${name}' is not installed`);
  const shown = (entry: InstalledSkill): Promise<InstalledPlugin> => withContents(plugins, entry);
  serveRoute(app, pluginRoutes.install, async ({ body: { force, ...source } }) =>
    shown(await orRefused(installed.install(source, { force }))),
  );
  serveRoute(app, pluginRoutes.listInstalled, async () => ({
    plugins: await Promise.all((await orRefused(installed.list())).map(shown)),
  }));
  serveRoute(app, pluginRoutes.getInstalled, async ({ params: { plugin_name: name } }) => {
    const found = await orRefused(installed.get(name));
    if (!found) throw missing(name);
    return shown(found);
  });
  serveRoute(app, pluginRoutes.updateInstalled, async ({ params: { plugin_name: name }, body: { enabled } }) => {
    if (!(await orRefused(installed.setEnabled(name, enabled)))) throw missing(name);
    return { name, enabled };
  });
  serveRoute(app, pluginRoutes.removeInstalled, async ({ params: { plugin_name: name } }) => {
    if (!(await orRefused(installed.remove(name)))) throw missing(name);
    return { message: `Plugin '${name}' uninstalled` };
  });
  serveRoute(app, pluginRoutes.refreshInstalled, async ({ params: { plugin_name: name } }) => {
    const found = await orRefused(installed.update(name));
    if (!found) throw missing(name);
    return { message: `Plugin '${name}' updated`, plugin: await shown(found) };
  });
  serveRoute(app, pluginRoutes.listMarketplace, async () => {
    const [offered, names] = await Promise.all([plugins.marketplace(), namesOf(installed)]);
    return { plugins: await Promise.all(offered.plugins.map((entry) => offeredInfo(plugins, entry, names))) };
  });
}

type InstalledPlugin = InstalledSkill & {
  readonly skills: { name: string; description: string | null }[] | null;
  readonly files: string[] | null;
};

async function withContents(plugins: ServerPlugins, entry: InstalledSkill): Promise<InstalledPlugin> {
  const contents = await plugins.contentsOf(entry.install_path);
  return { ...entry, skills: contents ? [...contents.skills] : null, files: contents ? [...contents.files] : null };
}

async function infoOf(plugins: ServerPlugins, { name, version, description, directory, place }: ReadPlugin) {
  const contents = await plugins.contentsOf(directory);
  const { skills = [], files = [] } = contents ?? {};
  return { name, version, description, path: place, skills: [...skills], files: [...files] };
}

async function offeredInfo(plugins: ServerPlugins, entry: Offered, names: ReadonlySet<string>) {
  const { name, description, source, ref, repo_path, directory } = entry;
  const contents = directory === undefined ? undefined : await plugins.contentsOf(directory);
  const found = contents && { path: directory ?? null, skills: [...contents.skills], files: [...contents.files] };
  const none = { path: null, skills: null, files: null };
  return { name, description, source, ref, repo_path, installed: names.has(name), ...(found ?? none) };
}

/** Returns the source of an offered skill as one text, which an installation takes. */
function sourceOf({ source, ref, repo_path: path }: Offered): string {
  // behind a URL that does not say where the repository ends, a ref and a path would be a part of it
  if (source.includes('://') && !source.endsWith('.git') && (ref !== null || path !== null))
    return `${source}#${ref ?? ''}${path === null ? '' : `:${path}`}`;
  return `${source}${ref === null ? '' : `@${ref}`}${path === null ? '' : `/${path}`}`;
}

async function namesOf(installed: InstalledExtensions): Promise<ReadonlySet<string>> {
  return new Set((await orRefused(installed.list())).map(({ name }) => name));
}

/** Rejects {@link ApiError} for an installation that was refused. */
async function orRefused<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error) || !Object.hasOwn(STATUS, String(error.code))) throw error;
    throw new ApiError(STATUS[error.code as RefusedInstallation], errorText(error), { cause: error });
  }
}
