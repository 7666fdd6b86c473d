import type { Cipher, JsonObject } from '@conv/core';
import type { Platform } from '@conv/core/platform';
import {
  type AgentProfile,
  type agentProfileRoutes,
  readAgentProfile,
  readAgentSettings,
  type RouteTypes,
  type StoredAgentProfile,
} from '@conv/openhands/rest';

import { atRest } from '../http/secret-texts.ts';
import { NamedObjects } from './named-objects.ts';
import type { SettingsDeps } from './settings-place.ts';

type AgentProfileInfo = RouteTypes<typeof agentProfileRoutes.list>['answer']['profiles'][number];

const SCHEMA_VERSION = 2;

/** Members of a profile that are no agent settings, or are renamed in them. */
const NOT_SETTINGS: ReadonlySet<string> = new Set([
  'schema_version',
  'id',
  'name',
  'revision',
  'llm_profile_ref',
  'system_message_suffix',
  'disabled_skills',
  'mcp_server_refs',
  'meta_profile_ref',
  'secret_refs',
  'public_skills',
  'tools',
]);

/** Agents that clients keep under names. Each has an id, which a new name does not change. */
export class AgentProfiles {
  /** @internal */
  readonly named: NamedObjects;
  readonly #cipher: Cipher | undefined;
  readonly #platform: Pick<Platform, 'id'>;

  constructor({ place, cipher, platform }: SettingsDeps) {
    this.named = new NamedObjects(place.agentProfiles);
    this.#cipher = cipher;
    this.#platform = platform;
  }

  /** Resolves with all profiles, sorted by name. Makes a profile named `default` when there is none. Rejects `StoredObjectError`. */
  async list(defaults: Partial<AgentProfile>): Promise<readonly AgentProfileInfo[]> {
    if ((await this.named.names()).length === 0) await this.save('default', defaults);
    return (await this.#all()).map(infoOf);
  }

  async get(name: string): Promise<StoredAgentProfile | undefined> {
    const stored = await this.named.get(name);
    return stored && readAgentProfile(stored);
  }

  async byId(id: string): Promise<StoredAgentProfile | undefined> {
    const wanted = id.replaceAll('-', '').toLowerCase();
    return (await this.#all()).find((profile) => profile.id.replaceAll('-', '').toLowerCase() === wanted);
  }

  /** Stores a profile. An existing profile keeps its id, and its revision grows by one. */
  async save(name: string, profile: Partial<AgentProfile> & { readonly id?: string }): Promise<StoredAgentProfile> {
    let saved: JsonObject = {};
    await this.named.change(name, (stored) => {
      const before = stored && readAgentProfile(stored);
      const { id: given } = readAgentProfile(profile);
      const revision = before ? before.revision + 1 : 0;
      const id = before?.id || given || this.#platform.id();
      const kept = { agent_kind: 'openhands', ...profile, schema_version: SCHEMA_VERSION, id, name, revision };
      saved = atRest(kept, this.#cipher);
      return saved;
    });
    return readAgentProfile(saved);
  }

  /** Resolves with true if the profile existed. */
  delete(name: string): Promise<boolean> {
    return this.named.delete(name);
  }

  /** Renames a profile. Resolves with the reason if that is not possible. */
  rename(name: string, newName: string): ReturnType<NamedObjects['rename']> {
    return this.named.rename(name, newName, (stored) => {
      return { ...stored, name: newName, revision: readAgentProfile(stored).revision + 1 };
    });
  }

  async #all(): Promise<readonly StoredAgentProfile[]> {
    return (await this.named.all()).map(({ name, stored }) => readAgentProfile({ ...stored, name }));
  }
}

function infoOf(profile: StoredAgentProfile): AgentProfileInfo {
  const { id, name = '', revision, mcp_server_refs = null } = profile;
  return {
    id,
    name,
    agent_kind: profile.agent_kind || 'openhands',
    revision,
    llm_profile_ref: profile.llm_profile_ref || null,
    mcp_server_refs,
  };
}

/**
 * Returns the agent settings that a profile resolves to: its own members over the settings, with the model and the MCP servers
 * that it names. Names that do not exist are left out.
 */
export function settingsOfProfile(
  profile: StoredAgentProfile,
  { settings, llm }: { readonly settings: JsonObject; readonly llm: JsonObject | undefined },
): JsonObject {
  const { system_message_suffix, disabled_skills, public_skills, mcp_server_refs: refs, tools, stored } = profile;
  const own = Object.entries(stored).filter(([name, value]) => value !== null && !NOT_SETTINGS.has(name));
  const { mcp_config: config, agent_context: context } = readAgentSettings(settings);
  const servers = Object.entries(config);
  return {
    ...settings,
    // the rules of the settings are not those of the profile
    enable_classify_and_switch_llm_tool: false,
    meta_profile: null,
    ...Object.fromEntries(own),
    active_meta_profile: profile.meta_profile_ref ?? null,
    ...(llm ? { llm } : {}),
    ...(tools ? { tools } : {}),
    mcp_config: Object.fromEntries(refs ? servers.filter(([name]) => refs.includes(name)) : servers),
    agent_context: {
      ...context,
      ...(system_message_suffix === undefined ? {} : { system_message_suffix }),
      ...(disabled_skills ? { disabled_skills } : {}),
      ...(public_skills ? { load_public_skills: public_skills.length > 0 } : {}),
    },
  };
}
