import type { JsonObject, StoredHooks } from '@conv/core';
import type { PluginSource, skillRoutes } from '@conv/openhands/rest';

/** An installed skill or plugin in the form of the protocol. */
export type InstalledSkill = Extract<(typeof skillRoutes.install)['answer'], { readonly _output: unknown }>['_output'];

/** A plugin after it was read, in the forms of the protocol. */
export interface ReadPlugin {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  /** The folder that programs of the plugin find their files in. */
  readonly directory: string;
  /** The folder that it was read from, for people. */
  readonly place: string;
  /** Skills, with those of commands, as agent contexts have them. */
  readonly skills: readonly JsonObject[];
  readonly hooks?: StoredHooks;
  /** MCP servers by name, as agents have them. */
  readonly mcpServers: Readonly<Record<string, JsonObject>>;
  /** Sub-agents, as requests have them. */
  readonly agents: readonly JsonObject[];
}

/** Resolves with the real path of a folder that a source names, or rejects because the caller may not read it. */
export type MayRead = (directory: string) => Promise<string>;

/** Skills or plugins that clients install. Rejections have one of the codes of {@link RefusedInstallation}. */
export interface InstalledExtensions {
  /** Resolves with all that is installed, switched on or off. */
  list(): Promise<readonly InstalledSkill[]>;
  /** Resolves with what is installed under a name; `undefined` if nothing is. */
  get(name: string): Promise<InstalledSkill | undefined>;
  /** Fetches and installs. `force` replaces an installed one. */
  install(source: PluginSource, options: { readonly force: boolean }): Promise<InstalledSkill>;
  /** Resolves `false` if there is none of this name. */
  setEnabled(name: string, enabled: boolean): Promise<boolean>;
  /** Resolves `false` if there is none of this name. */
  remove(name: string): Promise<boolean>;
  /** Fetches again from where it came from. Resolves `undefined` if there is none of this name. */
  update(name: string): Promise<InstalledSkill | undefined>;
}

/** Codes of a rejected installation: `FETCH_FAILED` and `INVALID_SOURCE` answer 400, `EXISTS` 409, and the others 422. */
export type RefusedInstallation = 'INVALID_SOURCE' | 'FETCH_FAILED' | 'TOO_LARGE' | 'INVALID' | 'EXISTS' | 'DAMAGED';

/** A plugin that was fetched. */
export interface FetchedPlugin {
  /** The folder of the copy. */
  readonly path: string;
  readonly resolved_ref: string | null;
  /** The manifest as it stands in its file. */
  readonly manifest: JsonObject;
  /** Names of its skills, without its commands. */
  readonly skills: readonly string[];
  /** Names of its commands, without the name of the plugin. */
  readonly commands: readonly string[];
}

/** The content of a plugin, for people. */
export interface PluginContents {
  readonly skills: readonly { readonly name: string; readonly description: string | null }[];
  /** Paths of files, relative to the plugin. */
  readonly files: readonly string[];
}

/** A skill or a plugin that could be installed. */
export interface Offered {
  readonly name: string;
  readonly description: string | null;
  readonly source: string;
  readonly ref: string | null;
  readonly repo_path: string | null;
  /** The folder on this machine; `undefined` if it was not fetched. */
  readonly directory?: string;
}

/** Skills and plugins of a server, for conversations and for clients that install them. */
export interface ServerPlugins {
  readonly skills: InstalledExtensions;
  readonly plugins: InstalledExtensions;
  /** Folders of this machine whose plugins every caller may name as sources, such as those of the marketplace. */
  readonly folders: readonly string[];
  /** Reads the plugin of a source, in a copy that stays as it is. Without `mayRead` the caller may name any folder. Rejects as {@link InstalledExtensions.install} does. */
  load(source: PluginSource, mayRead: MayRead | undefined): Promise<ReadPlugin & { readonly commit: string | null }>;
  /**
   * Reads the plugin of a source that has a manifest, in a copy that stays. `timeout`: milliseconds for a command of git. Rejects as
   * {@link InstalledExtensions.install} does.
   */
  fetch(source: PluginSource, options: { readonly timeout: number }): Promise<FetchedPlugin>;
  /** Reads the plugins in the folders of the server's user, and the installed plugins that are switched on. */
  ofUser(): Promise<readonly ReadPlugin[]>;
  /** Reads the plugins of a project. */
  ofProject(directory: string): Promise<readonly ReadPlugin[]>;
  /** Reads the skills of the server's user, the installed skills that are switched on, and public skills; as agent contexts have them. */
  skillsFor(wanted: { readonly user: boolean; readonly public: boolean }): Promise<readonly JsonObject[]>;
  /** Reads the instructions and skills of a project. */
  skillsOfProject(directory: string): Promise<readonly JsonObject[]>;
  /**
   * Returns the folder that a conversation may read because it was given the plugin or the skill at this path, if its programs see no other such
   * folders; else `undefined`. See `AgentServer.givenFoldersOf`. Default: `undefined` for all.
   */
  givenFolder?(path: string): string | undefined;
  /** Reads a plugin's content for people. Resolves `undefined` for a folder that is no plugin. */
  contentsOf(directory: string): Promise<PluginContents | undefined>;
  /** Lists what the marketplace offers; empty if it was never fetched and cannot be. */
  marketplace(): Promise<{ readonly skills: readonly Offered[]; readonly plugins: readonly Offered[] }>;
  /** Fetches the marketplace and its public skills again. Rejects as {@link InstalledExtensions.install} does. */
  sync(): Promise<void>;
}
