import type { Cipher, JsonObject } from '@conv/core';

import type { ServerProfiles } from '../hosting/host-options.ts';
import { AgentProfiles, idOf, revisionOf, settingsOfProfile } from './agent-profiles.ts';
import { LlmProfiles } from './llm-profiles.ts';
import { SecretsFile } from './stored-secrets.ts';
import { SettingsFile } from './stored-settings.ts';
import { WorkspacesFile } from './stored-workspaces.ts';

/** Everything that clients keep on a server beside conversations, in the files of a folder. */
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

  constructor(directory: string, cipher: Cipher | undefined) {
    this.settings = new SettingsFile(directory, cipher);
    this.secrets = new SecretsFile(directory, cipher);
    this.llmProfiles = new LlmProfiles(directory, cipher);
    this.agentProfiles = new AgentProfiles(directory, cipher);
    this.workspaces = new WorkspacesFile(directory);
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
    const ref = profile['llm_profile_ref'];
    const llm = typeof ref === 'string' ? await this.llmProfiles.get(ref) : undefined;
    return {
      settings: settingsOfProfile(profile, { settings, llm }),
      launched: { agent_profile_id: idOf(profile), revision: revisionOf(profile) },
    };
  }
}
