import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Snapshots } from '@conv/plugins';

/** Folders of skills and plugins in the home of the server's user. OpenHands has the same ones. */
export interface PluginFolders {
  /** Folders of the user's own skills; of two skills with one name the one in the earlier folder counts. */
  readonly skills: readonly string[];
  readonly installedSkills: string;
  /** Folders of the user's own plugins, each in a folder of its own. */
  readonly plugins: readonly string[];
  readonly installedPlugins: string;
  /** Copies of plugins as conversations have got them, and of marketplaces. */
  readonly snapshots: string;
  /** The clone of the public skills that OpenHands keeps. */
  readonly publicSkills: string;
}

/** Returns the folders in a home. */
export function pluginFolders(home: string): PluginFolders {
  const own = join(home, '.openhands');
  return {
    skills: [join(home, '.agents', 'skills'), join(own, 'skills'), join(own, 'microagents')],
    installedSkills: join(own, 'skills', 'installed'),
    plugins: [join(home, '.agents', 'plugins'), join(own, 'plugins')],
    installedPlugins: join(own, 'plugins', 'installed'),
    snapshots: join(own, 'cache', 'plugins'),
    publicSkills: join(own, 'cache', 'skills', 'public-skills'),
  };
}

/** Folders of a project in which plugins are, each in a folder of its own. */
export const PROJECT_PLUGINS: readonly string[] = [join('.agents', 'plugins'), join('.openhands', 'plugins')];

/**
 * Makes the folders into which this program installs skills and copies plugins, and returns the folders that programs of every conversation may read. The
 * copies are not among them. A sandbox shows no folder that is made later.
 */
export async function readableFolders({
  skills,
  installedSkills,
  snapshots,
}: PluginFolders): Promise<readonly string[]> {
  // in a home that cannot be written nothing is installed
  for (const folder of [installedSkills, snapshots])
    await mkdir(folder, { recursive: true, mode: 0o700 }).catch(() => undefined);
  return skills.filter((folder) => existsSync(folder));
}

/** Returns the copies of plugins on this machine among paths, which another server of a fleet may have written. */
export function copiesAmong(paths: readonly string[], { snapshots }: PluginFolders): readonly string[] {
  const kept = new Snapshots({ folder: snapshots });
  return paths.flatMap((path) => kept.around(path) ?? []);
}
