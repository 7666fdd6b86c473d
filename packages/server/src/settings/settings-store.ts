import { checks, checkOptionNames, type Cipher, type JsonObject, type OptionNames } from '@conv/core';
import { systemPlatform, type Platform } from '@conv/core/platform';

import type { ServerProfiles } from '../hosting/host-options.ts';
import { AgentProfiles, settingsOfProfile } from './agent-profiles.ts';
import { LlmProfiles } from './llm-profiles.ts';
import { SecretsFile } from './stored-secrets.ts';
import { SettingsFile } from './stored-settings.ts';
import { WorkspacesFile } from './stored-workspaces.ts';

/** Options of a {@link SettingsStore}. */
export interface SettingsStoreOptions {
  /** Gives ids. Default: the platform of the host. */
  readonly platform?: Pick<Platform, 'id'> | undefined;
}

const NAMES: OptionNames<SettingsStoreOptions> = { platform: true };

/** All data that clients store on a server beside conversations, in the files of a folder. */
export class SettingsStore implements ServerProfiles {
  /** @internal */
  readonly settings: SettingsFile;
  /** @internal */
  readonly secrets: SecretsFile;
  /** @internal */
  readonly llmProfiles: LlmProfiles;
  /** @internal */
  readonly agentProfiles: AgentProfiles;
  /** @internal */
  readonly workspaces: WorkspacesFile;

  readonly #cipher: Cipher | undefined;

  constructor(directory: string, cipher: Cipher | undefined, options: SettingsStoreOptions = {}) {
    if (typeof directory !== 'string')
      throw new TypeError(checks.wrongValue('new SettingsStore: directory', 'the path of a folder', directory));
    checkOptionNames('new SettingsStore', options, NAMES);
    const { platform = systemPlatform } = options;
    this.#cipher = cipher;
    const deps = { directory, cipher, platform };
    this.settings = new SettingsFile(deps);
    this.secrets = new SecretsFile(deps);
    this.llmProfiles = new LlmProfiles(deps);
    this.agentProfiles = new AgentProfiles(deps);
    this.workspaces = new WorkspacesFile(deps);
  }

  /**
   * Encrypts every ciphertext of an older key with the newest key of the cipher. A file that cannot be read or written stays as it
   * is, and its error goes to `report`.
   */
  async renew(report: (error: unknown) => void): Promise<void> {
    if (this.#cipher?.renew === undefined) return;
    const named = [this.llmProfiles, this.agentProfiles.files].map((files) => files.files());
    const found = await Promise.allSettled([Promise.resolve([this.settings.file, this.secrets.file]), ...named]);
    const files = found.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
    const done = await Promise.allSettled(files.map((file) => file.renew(this.#cipher)));
    for (const result of [...found, ...done]) if (result.status === 'rejected') report(result.reason);
  }

  /** As `ServerProfiles.llm`. Rejects `StoredFileError`. */
  llm(name: string): Promise<JsonObject | undefined> {
    return this.llmProfiles.get(name);
  }

  /** As `ServerProfiles.agent`. Rejects `StoredFileError`. */
  async agent(id: string): ReturnType<ServerProfiles['agent']> {
    const profile = await this.agentProfiles.byId(id);
    if (!profile) return undefined;
    const { agent_settings: settings } = await this.settings.get();
    const { id: agent_profile_id, revision, llm_profile_ref: ref } = profile;
    const llm = ref === undefined ? undefined : await this.llmProfiles.get(ref);
    return {
      settings: settingsOfProfile(profile, { settings, llm }),
      launched: { agent_profile_id, revision },
    };
  }
}
