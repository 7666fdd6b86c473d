import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describeSkill, describeSubAgent, loadPlugin } from '@conv/agent';
import { errorText } from '@conv/core';
import { PluginError, type Snapshots } from '@conv/plugins';
import type { MayRead, ReadPlugin } from '@conv/server';

/** Reads plugins from copies of their folders, which programs in a sandbox can read, and which stay when a plugin is updated or removed. */
export class PluginReader {
  readonly #snapshots: Snapshots;
  readonly #tell: (reasons: readonly string[]) => void;

  constructor(snapshots: Snapshots, tell: (reasons: readonly string[]) => void) {
    this.#snapshots = snapshots;
    this.#tell = tell;
  }

  /** Resolves with the plugin of a source. Rejects `PluginError`. */
  async load(
    {
      source,
      ref,
      repo_path: path,
    }: { readonly source: string; readonly ref?: string | null; readonly repo_path?: string | null },
    mayRead?: MayRead,
  ): Promise<ReadPlugin & { readonly commit: string | null }> {
    const { directory, commit } = await this.#snapshots.keep({ source, ref: ref ?? null, path: path ?? null }, mayRead);
    return { ...(await this.#read(directory)), commit };
  }

  /** Resolves with the plugins in folders. A plugin that cannot be read, or may not be, is told and left out. */
  async all(directories: readonly string[], mayRead?: MayRead): Promise<readonly ReadPlugin[]> {
    const read = directories.map(async (source) => {
      try {
        return [{ ...(await this.load({ source }, mayRead)), place: source }];
      } catch (error) {
        this.#tell([`${source}: ${errorText(error)}`]);
        return [];
      }
    });
    return (await Promise.all(read)).flat();
  }

  /** Resolves with the plugins that have a folder below one of these, in the order of the names. */
  async below(
    places: readonly string[],
    { except = [], mayRead }: { readonly except?: readonly string[]; readonly mayRead?: MayRead } = {},
  ): Promise<readonly ReadPlugin[]> {
    const found = await Promise.all(places.map((place) => foldersIn(place)));
    return this.all(
      found.flat().filter((folder) => !except.includes(folder)),
      mayRead,
    );
  }

  async #read(directory: string): Promise<ReadPlugin> {
    const plugin = await loadPlugin(directory).catch((cause: unknown) => {
      throw new PluginError('INVALID', errorText(cause), { cause });
    });
    const { name, version, description, skills, hooks, mcpServers, agents, problems } = plugin;
    this.#tell(problems);
    return {
      name,
      version,
      description,
      directory: plugin.directory,
      place: plugin.directory,
      skills: skills.map(describeSkill),
      ...(hooks ? { hooks } : {}),
      mcpServers,
      agents: agents.map(describeSubAgent),
    };
  }
}

async function foldersIn(place: string): Promise<readonly string[]> {
  const entries = await readdir(place, { withFileTypes: true }).catch(() => []);
  const folders = entries.filter(
    (entry) => !entry.name.startsWith('.') && (entry.isDirectory() || entry.isSymbolicLink()),
  );
  return folders.map(({ name }) => join(place, name)).toSorted();
}
