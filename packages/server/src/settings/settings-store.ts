import type { Cipher, JsonObject } from '@conv/core';

import type { ServerProfiles } from '../hosting/host-options.ts';
import { AgentProfiles, idOf, revisionOf, settingsOfProfile } from './agent-profiles.ts';
import { LlmProfiles } from './llm-profiles.ts';
import { SecretsKeep } from './stored-secrets.ts';
import { SettingsKeep } from './stored-settings.ts';
import { WorkspacesKeep } from './stored-workspaces.ts';

/** Everything that clients keep on a server beside conversations, in the files of a folder. */
export class Keep implements ServerProfiles {
  /** @internal */
  readonly settings: SettingsKeep;
  /** @internal */
  readonly secrets: SecretsKeep;
  /** @internal */
  readonly llmProfiles: LlmProfiles;
  /** @internal */
  readonly agentProfiles: AgentProfiles;
  /** @internal */
  readonly workspaces: WorkspacesKeep;

  constructor(directory: string, cipher: Cipher | undefined) {
    this.settings = new SettingsKeep(directory, cipher);
    this.secrets = new SecretsKeep(directory, cipher);
    this.llmProfiles = new LlmProfiles(directory, cipher);
    this.agentProfiles = new AgentProfiles(directory, cipher);
    this.workspaces = new WorkspacesKeep(directory);
  }

  /** As `ServerProfiles.llm`. Rejects `KeptFileError`. */
  llm(name: string): Promise<JsonObject | undefined> {
    return this.llmProfiles.get(name);
  }

  /** As `ServerProfiles.agent`. Rejects `KeptFileError`. */
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
