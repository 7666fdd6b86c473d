import { join } from 'node:path';
import { loadPlugin } from '@conv/agent';
import { errorText } from '@conv/core';
import { parseSource, PluginError, type Snapshots } from '@conv/plugins';
import type { FetchedPlugin, ServerPlugins } from '@conv/server';

type PluginSource = Parameters<ServerPlugins['fetch']>[0];

/** Reads the plugin of a source in a snapshot. Rejects `PluginError`, also `INVALID` for a folder without a manifest. */
export async function fetchedPlugin(snapshots: Snapshots, given: PluginSource): Promise<FetchedPlugin> {
  const { directory: path, commit } = await snapshots.keep(withoutPathOfFolder(given));
  const { name, manifest, skills } = await loadPlugin(path).catch((cause: unknown) => {
    throw new PluginError('INVALID', errorText(cause), { cause });
  });
  if (!manifest) throw new PluginError('INVALID', `${path}: expected a plugin.json, found none`);
  const own = `${name}:`;
  const isCommand = (skill: string): boolean => skill.startsWith(own);
  const names = skills.map((skill) => skill.name);
  return {
    path,
    resolved_ref: commit,
    manifest,
    skills: names.filter((skill) => !isCommand(skill)),
    commands: names.filter(isCommand).map((command) => command.slice(own.length)),
  };
}

/** Returns a source whose folder has the path in it. Here a path may stand beside a folder, too. */
function withoutPathOfFolder({ source, ref, repo_path: path }: PluginSource): Parameters<Snapshots['keep']>[0] {
  const folder = path === null ? undefined : folderOf(source);
  return folder === undefined || path === null ? { source, ref, path } : { source: join(folder, path), ref: null };
}

function folderOf(source: string): string | undefined {
  const parsed = parseSource({ source });
  return parsed.kind === 'folder' ? parsed.directory : undefined;
}
