import { checks, checkOptionNames, type Cipher, type JsonObject, type OptionNames } from '@conv/core';
import { systemPlatform, type Platform } from '@conv/core/platform';
import { checkRegistry, type Registry } from '@conv/store-kit/registry';

import type { ServerProfiles } from '../hosting/host-options.ts';
import { hasForeignToken, renewed } from '../http/secret-texts.ts';
import { AgentProfiles, settingsOfProfile } from './agent-profiles.ts';
import { LlmProfiles } from './llm-profiles.ts';
import { MetaProfiles } from './meta-profiles.ts';
import { settingsFiles } from './settings-files.ts';
import { settingsRecords } from './settings-records.ts';
import { unresolvedReferences } from './profile-references.ts';
import { ProviderConnections } from './provider-connections.ts';
import { StoredObjectError } from './stored-object-error.ts';
import { ClientSecrets } from './stored-secrets.ts';
import { ClientSettings } from './stored-settings.ts';
import { ListedWorkspaces } from './stored-workspaces.ts';

/** Options of a {@link SettingsStore}. */
export interface SettingsStoreOptions {
  /** Gives ids and the time. Default: the platform of the host. */
  readonly platform?: Pick<Platform, 'id' | 'now'> | undefined;
}

const NAMES: OptionNames<SettingsStoreOptions> = { platform: true };

/**
 * All data that clients store on a server beside conversations: in the files of a folder, as OpenHands has them, or in the records of a
 * registry, which all servers of a fleet share.
 */
export class SettingsStore implements ServerProfiles {
  /** @internal */
  readonly settings: ClientSettings;
  /** @internal */
  readonly secrets: ClientSecrets;
  /** @internal */
  readonly llmProfiles: LlmProfiles;
  /** @internal */
  readonly agentProfiles: AgentProfiles;
  /** @internal */
  readonly metaProfiles: MetaProfiles;
  /** @internal */
  readonly providerConnections: ProviderConnections;
  /** @internal */
  readonly workspaces: ListedWorkspaces;

  readonly #cipher: Cipher | undefined;

  /** Rules by which agents choose among the models of profiles, for `routeTaskTool` of `@conv/agent`. */
  readonly rules: {
    /** Resolves with the sorted names. */
    readonly names: () => Promise<readonly string[]>;
    /** Resolves with the object of this name. */
    readonly get: (name: string) => Promise<JsonObject | undefined>;
  };

  /** The LLM objects of profiles as they are stored, for `modelProfiles` of `@conv/agent`. */
  readonly models: {
    /** Resolves with the sorted names. */
    readonly names: () => Promise<readonly string[]>;
    /** Resolves with the object of this name, with the key and the address of its provider connection. */
    readonly get: (name: string) => Promise<JsonObject | undefined>;
    /** Makes or replaces the object of this name. */
    readonly save: (name: string, llm: JsonObject) => Promise<void>;
    /** Resolves with false if there is no object of this name. */
    readonly delete: (name: string) => Promise<boolean>;
  };

  /** @param kept path of a folder, or a registry */
  constructor(kept: string | Registry, cipher: Cipher | undefined, options: SettingsStoreOptions = {}) {
    if ((typeof kept !== 'object' || kept === null) && typeof kept !== 'string')
      throw new TypeError(checks.wrongValue('new SettingsStore: kept', 'the path of a folder, or a registry', kept));
    if (typeof kept === 'object') checkRegistry('new SettingsStore', kept);
    checkOptionNames('new SettingsStore', options, NAMES);
    const { platform = systemPlatform } = options;
    this.#cipher = cipher;
    const place = typeof kept === 'string' ? settingsFiles(kept, platform) : settingsRecords(kept);
    const deps = { place, cipher, platform };
    this.settings = new ClientSettings(deps);
    this.secrets = new ClientSecrets(deps);
    this.providerConnections = new ProviderConnections(deps);
    this.llmProfiles = new LlmProfiles(deps, this.providerConnections);
    this.agentProfiles = new AgentProfiles(deps);
    this.metaProfiles = new MetaProfiles(place);
    this.workspaces = new ListedWorkspaces(deps);
    const rules = this.metaProfiles;
    this.rules = { names: () => rules.names(), get: (name) => rules.get(name) };
    const named = this.llmProfiles;
    this.models = {
      names: () => named.names(),
      get: (name) => named.resolved(name),
      save: (name, llm) => named.change(name, () => llm),
      delete: (name) => named.delete(name),
    };
  }

  /**
   * Encrypts every ciphertext of an older key with the newest key of the cipher. An object that cannot be read or written stays as it
   * is, and its error goes to `report`, as does a `StoredObjectError` for an object with a ciphertext that no key opens.
   */
  async renew(report: (error: unknown) => void): Promise<void> {
    const cipher = this.#cipher;
    if (cipher?.renew === undefined) return;
    const named = [this.llmProfiles, this.agentProfiles.named].map((all) => all.objects());
    const found = await Promise.allSettled([
      Promise.resolve([this.settings.object, this.secrets.object, this.providerConnections.object]),
      ...named,
    ]);
    const objects = found.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
    const done = await Promise.allSettled(
      objects.map(async (object) => {
        let isForeign = false;
        await object.change((stored) => {
          const after = stored && renewed(stored, cipher);
          isForeign = hasForeignToken(JSON.stringify(after ?? null), cipher);
          return after === stored ? undefined : after;
        });
        if (isForeign) throw new StoredObjectError(object.place);
      }),
    );
    for (const result of [...found, ...done]) if (result.status === 'rejected') report(result.reason);
  }

  /** As `ServerProfiles.llm`. Rejects `StoredObjectError`. */
  llm(name: string): Promise<JsonObject | undefined> {
    return this.llmProfiles.resolved(name);
  }

  /** As `ServerProfiles.resolve`. Rejects `StoredObjectError`. */
  resolve(llm: JsonObject): Promise<JsonObject> {
    return this.providerConnections.resolve(llm);
  }

  /** As `ServerProfiles.agent`. Rejects `StoredObjectError`. */
  async agent(id: string, { llmProfile }: { readonly llmProfile?: string } = {}): ReturnType<ServerProfiles['agent']> {
    const profile = await this.agentProfiles.byId(id);
    if (!profile) return undefined;
    const { agent_settings: settings } = await this.settings.get();
    const { id: agent_profile_id, revision, secret_refs, public_skills: publicSkills } = profile;
    const ref = llmProfile ?? profile.llm_profile_ref;
    const llm = ref === undefined ? undefined : await this.llmProfiles.resolved(ref);
    return {
      unresolved: await unresolvedReferences(profile, this, {
        settings,
        ...(ref === undefined ? {} : { llmProfile: ref }),
      }),
      settings: settingsOfProfile(profile, { settings, llm }),
      launched: {
        agent_profile_id,
        revision,
        ...(secret_refs === undefined ? {} : { secret_refs }),
        ...(llmProfile === undefined ? {} : { llm_profile_ref: llmProfile }),
      },
      publicSkills,
    };
  }
}
