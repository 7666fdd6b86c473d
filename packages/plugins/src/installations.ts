import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';

import { checkOptionNames, checks, errorText, type OptionNames } from '@conv/core';
import { isoNow, type Platform, systemPlatform, Turns } from '@conv/core/platform';

import { type FetchOptions, fetchSource } from './fetch-source.ts';
import { type Installed, type InstalledList, isAbsent, readList, writeList } from './installed-file.ts';
import { PluginError } from './plugin-error.ts';
import type { Source } from './source.ts';

export type { Installed } from './installed-file.ts';

/** A plugin or a skill as its folder says. */
export interface LoadedFolder {
  readonly name: string;
  readonly version?: string;
  readonly description?: string;
}

/** Options of {@link Installations}. */
export interface InstallationsOptions extends Omit<FetchOptions, 'mayRead'> {
  /** The folder with a folder for each plugin or skill, such as `~/.openhands/skills/installed`. It is made by the first installation. */
  readonly folder: string;
  /** Reads the plugin or the skill in a folder without running anything of it. Rejects for any other folder. */
  readonly load: (directory: string) => Promise<LoadedFolder>;
  /** The most characters of a name. Default 64. */
  readonly longestName?: number;
  /** Clock and ids. Default: those of the host. */
  readonly platform?: Platform;
}

const NAMES: OptionNames<InstallationsOptions> = {
  folder: true,
  load: true,
  longestName: true,
  hosts: true,
  lookup: true,
  limits: true,
  timeout: true,
  platform: true,
};

const NAME = /^[a-z\d]+(?:-[a-z\d]+)*$/;

/** A folder that was set aside for a new one, with its name. */
const REPLACED = /^\.replaced-([a-z\d-]+)\./;

/** Times that a folder is moved to its place while other processes put the old one back. */
const MOST_TRIES = 5;

/**
 * Plugins or skills that are installed in a folder, in OpenHands' layout: a folder with the name of each, and the list
 * `.installed.json`. OpenHands reads and changes installations made here, and the other way round. One object makes one change at a time.
 * A name is lower-case letters, digits and single hyphens, so it leads to no other folder.
 */
export class Installations {
  readonly folder: string;
  readonly #options: InstallationsOptions;
  readonly #platform: Platform;
  readonly #turns = new Turns();

  /** Throws a `TypeError` for a wrong option. */
  constructor(options: InstallationsOptions) {
    checkOptionNames('Installations', options, NAMES);
    if (typeof options.folder !== 'string')
      throw new TypeError(checks.wrongValue('Installations: folder', 'the path of a folder', options.folder));
    this.folder = resolve(options.folder);
    this.#options = options;
    this.#platform = options.platform ?? systemPlatform;
  }

  /**
   * Resolves with all that is installed, in the order of the installations. A folder that was put there by hand is installed, too; a folder that
   * was removed by hand is not any more. Rejects {@link PluginError} `DAMAGED`.
   */
  list(): Promise<readonly Installed[]> {
    return this.#turns.run(async () => {
      const list = await this.#synced();
      return [...list.values()];
    });
  }

  /** Resolves with what is installed under a name; `undefined` if nothing is. Rejects as {@link Installations.list} does. */
  get(name: string): Promise<Installed | undefined> {
    return this.#turns.run(async () => {
      const list = await this.#read();
      return (await this.#isThere(name)) ? list.get(name) : undefined;
    });
  }

  /** Resolves with the folder of what is installed under a name. The name must be installed. */
  directoryOf({ name }: Pick<Installed, 'name'>): string {
    return join(this.folder, name);
  }

  /**
   * Fetches a plugin or a skill and installs it under its own name. `force` replaces an installed one, which stays switched on or off. Nothing of it
   * is run. Resolves when it is in its place. Rejects {@link PluginError} `EXISTS`, `DAMAGED`, and those of fetching; the installed one is as
   * before then.
   */
  install(source: Source, { force = false }: { readonly force?: boolean } = {}): Promise<Installed> {
    return this.#install(source, { force });
  }

  /** Does the work of {@link Installations.install}. `as`: the name that it must have. */
  #install(source: Source, { force, as }: { readonly force: boolean; readonly as?: string }): Promise<Installed> {
    return this.#turns.run(async () => {
      // before anything is fetched, so that a damaged list costs nothing
      await this.#read();
      await using fetched = await fetchSource(source, this.folder, this.#options);
      const { name, version = '', description = '' } = await this.#loaded(fetched.directory, source);
      if (as !== undefined && name !== as)
        throw new PluginError(
          'INVALID',
          `name: expected ${JSON.stringify(as)}, found ${JSON.stringify(name)}; remove the old one, and install it under its new name`,
        );
      const place = join(this.folder, name);
      const isThere = await this.#isThere(name);
      if (isThere && !force)
        throw new PluginError('EXISTS', `${JSON.stringify(name)} is installed: ask for it with force to replace it`);
      await this.#put(fetched.directory, name);
      const list = await readList(this.folder);
      const before = list.get(name);
      const entry: Installed = {
        ...before,
        name,
        version,
        description,
        enabled: before?.enabled ?? true,
        source: source.source,
        requested_ref: source.ref ?? null,
        resolved_ref: fetched.commit,
        repo_path: source.path ?? null,
        installed_at: isoNow(this.#platform),
        install_path: place,
      };
      await this.#write(list.set(name, entry));
      return entry;
    });
  }

  /** Enables or disables an installed plugin or skill. Resolves `false` if none has this name. Rejects as {@link Installations.list} does. */
  setEnabled(name: string, enabled: boolean): Promise<boolean> {
    return this.#turns.run(async () => {
      const list = await this.#synced();
      const entry = list.get(name);
      if (!entry) return false;
      if (entry.enabled !== enabled) await this.#write(list.set(name, { ...entry, enabled }));
      return true;
    });
  }

  /** Removes a plugin or skill with its folder. Resolves `false` if the list has none of this name. Rejects as {@link Installations.list} does. */
  remove(name: string): Promise<boolean> {
    return this.#turns.run(async () => {
      const list = await this.#read();
      if (!NAME.test(name) || !list.delete(name)) return false;
      await rm(join(this.folder, name), { recursive: true, force: true, maxRetries: 3 });
      await this.#write(list);
      return true;
    });
  }

  /**
   * Fetches a plugin or skill again from its source, at the newest commit of its branch or of the ref that it was installed with. Resolves
   * `undefined` if none has this name. Rejects as {@link Installations.install} does, and `INVALID` if its name has changed, because it
   * could take the place of another one.
   */
  async update(name: string): Promise<Installed | undefined> {
    const entry = await this.get(name);
    if (!entry) return undefined;
    const source = { source: entry.source, ref: entry.requested_ref, path: entry.repo_path };
    return this.#install(source, { force: true, as: name });
  }

  async #loaded(directory: string, source: Source): Promise<LoadedFolder> {
    const loaded = await this.#options.load(directory).catch((cause: unknown) => {
      const place = JSON.stringify(source.source);
      throw new PluginError('INVALID', `the source ${place} has nothing to install: ${errorText(cause)}`, { cause });
    });
    const { longestName = 64 } = this.#options;
    if (NAME.test(loaded.name) && loaded.name.length <= longestName) return loaded;
    throw new PluginError(
      'INVALID',
      `name: expected at most ${longestName} lower-case letters and digits with single hyphens between them, found ${JSON.stringify(loaded.name)}`,
    );
  }

  /** Moves a new folder to its place. The folder that was there before stays until the new one is there. */
  async #put(directory: string, name: string): Promise<void> {
    const place = join(this.folder, name);
    const old = join(this.folder, `.replaced-${name}.${this.#platform.id()}`);
    for (let tries = 1; ; tries++) {
      const hasOld = await isMoved(place, old);
      try {
        await rename(directory, place);
        break;
      } catch (error) {
        if (hasOld) await isMoved(old, place);
        // another process has put the old folder back meanwhile
        if (!isTaken(error) || tries === MOST_TRIES) throw error;
      }
    }
    await rm(old, { recursive: true, force: true, maxRetries: 3 });
  }

  /**
   * Puts a folder back if a process set it aside and ended before the new folder was in its place. Removes folders that
   * were replaced.
   */
  async #recover(): Promise<void> {
    for (const entry of await this.#entries()) {
      const [, name] = REPLACED.exec(entry) ?? [];
      if (name === undefined) continue;
      const old = join(this.folder, entry);
      if (await this.#isThere(name)) await rm(old, { recursive: true, force: true, maxRetries: 3 });
      else await isMoved(old, join(this.folder, name));
    }
  }

  /** Resolves with the list as the folder is, and writes it if that changes it. */
  async #synced(): Promise<InstalledList> {
    const list = await this.#read();
    let isChanged = false;
    for (const name of list.keys())
      if (!(await this.#isThere(name))) {
        list.delete(name);
        isChanged = true;
      }
    for (const name of await this.#names())
      if (!list.has(name)) {
        const found = await this.#foundByHand(name);
        if (!found) continue;
        list.set(name, found);
        isChanged = true;
      }
    if (isChanged) await this.#write(list);
    return list;
  }

  async #foundByHand(name: string): Promise<Installed | undefined> {
    const place = join(this.folder, name);
    const loaded = await this.#options.load(place).catch(() => undefined);
    if (loaded?.name !== name) return undefined;
    const { version = '', description = '' } = loaded;
    const none = { requested_ref: null, resolved_ref: null, repo_path: null };
    const when = isoNow(this.#platform);
    return {
      name,
      version,
      description,
      enabled: true,
      source: 'local',
      ...none,
      installed_at: when,
      install_path: place,
    };
  }

  async #names(): Promise<readonly string[]> {
    return (await this.#entries()).filter((name) => NAME.test(name)).toSorted();
  }

  async #entries(): Promise<readonly string[]> {
    try {
      return await readdir(this.folder);
    } catch (error) {
      if (isAbsent(error)) return [];
      throw error;
    }
  }

  async #isThere(name: string): Promise<boolean> {
    if (!NAME.test(name)) return false;
    return stat(join(this.folder, name)).then(
      (found) => found.isDirectory(),
      (error: unknown) => {
        if (isAbsent(error)) return false;
        throw error;
      },
    );
  }

  async #read(): Promise<InstalledList> {
    await this.#recover();
    return readList(this.folder);
  }

  async #write(list: InstalledList): Promise<void> {
    await mkdir(this.folder, { recursive: true, mode: 0o755 });
    await writeList(this.folder, list, this.#platform);
  }
}

/** Moves a folder. Resolves `false` if it is not there, or if another one is in its place. */
async function isMoved(from: string, to: string): Promise<boolean> {
  try {
    await rename(from, to);
    return true;
  } catch (error) {
    if (isAbsent(error) || isTaken(error)) return false;
    throw error;
  }
}

/** True if the error says that a folder is in the place. */
function isTaken(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'ENOTEMPTY' || code === 'EEXIST';
}
