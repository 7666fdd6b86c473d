import { join } from 'node:path';
import { describeSkill, findProjectSkills, findSkills, loadPlugin, loadSkill, type Skill } from '@conv/agent';
import { Installations, type LoadedFolder, Snapshots } from '@conv/plugins';
import type { MayRead, ServerPlugins } from '@conv/server';

import { contentsOf } from './plugin-contents.ts';
import { installedExtensions } from './installed-extensions.ts';
import { fetchedPlugin } from './fetched-plugin.ts';
import { MarketplaceCopy, type MarketplaceOptions } from './marketplace-copy.ts';
import { PluginReader } from './plugin-reader.ts';
import { type PluginFolders, PROJECT_PLUGINS } from './plugin-folders.ts';
import { copyOrOther, within, withoutHidden } from './source-checks.ts';

/** Options of the skills and plugins of a server. */
export interface ServerPluginsOptions extends MarketplaceOptions {
  readonly folders: PluginFolders;
  /** Hosts of repositories that are not public. */
  readonly hosts: readonly string[];
  /** Files and folders of the server that no agent sees. */
  readonly hidden: readonly string[];
  /** Told why a part of a skill or a plugin is left out, once for each reason. */
  readonly leftOut: (reason: string) => void;
}

/** Returns the skills and plugins of a server, as files in the home of its user. */
export function serverPlugins({
  folders,
  hosts,
  hidden,
  leftOut,
  ...marketplaceOptions
}: ServerPluginsOptions): ServerPlugins {
  const told = new Set<string>();
  const tell = (reasons: readonly string[]): void => {
    for (const reason of reasons.filter((one) => !told.has(one))) {
      told.add(reason);
      leftOut(reason);
    }
  };
  const snapshots = new Snapshots({ folder: folders.snapshots, hosts });
  const reader = new PluginReader(snapshots, tell);
  const skills = new Installations({ folder: folders.installedSkills, hosts, load: installableSkill });
  const plugins = new Installations({ folder: folders.installedPlugins, hosts, load: loadPlugin });
  const market = new MarketplaceCopy(folders, { hosts, ...marketplaceOptions });
  const userSkills = async (): Promise<readonly Skill[]> => {
    const found = await Promise.all(folders.skills.map((folder) => findSkills(folder)));
    tell(found.flatMap(({ problems }) => problems));
    return distinct([...found.flatMap((one) => one.skills), ...(await enabledSkills(skills, tell))]);
  };
  const shown = [folders.installedPlugins, folders.snapshots, folders.publicSkills];
  const checked = (mayRead: MayRead): MayRead => withoutHidden(copyOrOther(mayRead, snapshots), hidden, shown);
  return {
    skills: installedExtensions(skills),
    plugins: installedExtensions(plugins),
    folders: [...shown, ...market.folders()],
    load: (source, mayRead) => reader.load(source, mayRead && checked(mayRead)),
    fetch: (source, { timeout }) => fetchedPlugin(new Snapshots({ folder: folders.snapshots, hosts, timeout }), source),
    ofUser: async () => {
      const own = await reader.below(folders.plugins, { except: [folders.installedPlugins] });
      const enabled = (await plugins.list()).filter((entry) => entry.enabled);
      const installed = await reader.all(enabled.map((entry) => plugins.directoryOf(entry)));
      return distinct([...own, ...installed]);
    },
    ofProject: async (directory) => {
      const places = PROJECT_PLUGINS.map((path) => join(directory, path));
      return distinct(await reader.below(places, { mayRead: checked(within(directory)) }));
    },
    skillsFor: async ({ user, public: all }) => {
      const found = [...(user ? await userSkills() : []), ...(all ? await market.skills(tell) : [])];
      return distinct(found).map(describeSkill);
    },
    skillsOfProject: async (directory) => {
      const found = await findProjectSkills(directory);
      tell(found.problems);
      return found.skills.map(describeSkill);
    },
    givenFolder: (path) => snapshots.around(path),
    contentsOf,
    marketplace: () => market.offers(),
    sync: () => market.fetch(),
  };
}

/** Reads a skill for its installation. A skill without a version has the first one, as with OpenHands. */
async function installableSkill(directory: string): Promise<LoadedFolder> {
  return { version: '1.0.0', ...(await loadSkill(directory)) };
}

/** Reads the installed skills that are switched on. */
async function enabledSkills(
  skills: Installations,
  tell: (reasons: readonly string[]) => void,
): Promise<readonly Skill[]> {
  const enabled = (await skills.list()).filter((entry) => entry.enabled);
  const read = enabled.map(async (entry) => {
    try {
      return [await loadSkill(skills.directoryOf(entry))];
    } catch (error) {
      tell([String(error)]);
      return [];
    }
  });
  return (await Promise.all(read)).flat();
}

/** Returns the first of each name. */
function distinct<T extends { readonly name: string }>(all: readonly T[]): readonly T[] {
  const byName = new Map<string, T>();
  for (const one of all) if (!byName.has(one.name)) byName.set(one.name, one);
  return [...byName.values()];
}
