import type { Cipher, JsonObject } from '@conv/core';
import type { Platform } from '@conv/core/platform';
import {
  type agentProfileRoutes,
  readAgentProfile,
  readAgentSettings,
  type RouteTypes,
  type StoredAgentProfile,
} from '@conv/openhands/rest';

import { atRest } from '../http/secret-texts.ts';
import { DEFAULT_AGENT_SETTINGS } from './default-settings.ts';
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

  /** Resolves with all profiles, sorted by name. Rejects `StoredObjectError`. */
  async list(): Promise<readonly AgentProfileInfo[]> {
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
  save(name: string, profile: JsonObject): Promise<StoredAgentProfile> {
    return this.#store(name, profile, { replaces: true });
  }

  /** Stores a profile if there is none of this name. Resolves with the profile of this name. */
  make(name: string, profile: JsonObject): Promise<StoredAgentProfile> {
    return this.#store(name, profile, { replaces: false });
  }

  async #store(
    name: string,
    profile: JsonObject,
    { replaces }: { readonly replaces: boolean },
  ): Promise<StoredAgentProfile> {
    let saved: JsonObject = {};
    await this.named.change(name, (stored) => {
      if (stored && !replaces) {
        saved = stored;
        return undefined;
      }
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

  /** Resolves with the sorted names of the profiles whose model is the LLM profile of this name. Rejects `StoredObjectError`. */
  async usersOf(llmProfile: string): Promise<readonly string[]> {
    const users = (await this.#all()).filter(({ llm_profile_ref: ref }) => ref === llmProfile);
    return users.map(({ name = '' }) => name);
  }

  /** Gives the profiles whose model is an LLM profile its new name. */
  async useModel(llmProfile: string, newName: string): Promise<void> {
    for (const name of await this.usersOf(llmProfile))
      await this.named.change(name, (stored) =>
        stored?.['llm_profile_ref'] === llmProfile ? { ...stored, llm_profile_ref: newName } : undefined,
      );
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

/** Members of a profile that a client has not set. */
const DEFAULTS: JsonObject = {
  agent: DEFAULT_AGENT_SETTINGS['agent'] ?? null,
  tools: null,
  persona: null,
  system_message_suffix: null,
  disabled_skills: [],
  public_skills: null,
  condenser: DEFAULT_AGENT_SETTINGS['condenser'] ?? null,
  verification: verificationWithoutKey(),
  enable_classify_and_switch_llm_tool: false,
  meta_profile_ref: null,
  tool_concurrency_limit: 1,
};

function verificationWithoutKey(): JsonObject {
  const { critic_api_key: _, ...rest } = DEFAULT_AGENT_SETTINGS['verification'] as JsonObject;
  return rest;
}

/** Returns a profile as clients see it, with the defaults of members that it does not have. */
export function wholeProfile({ stored, agent_kind: kind = 'openhands' }: StoredAgentProfile): JsonObject {
  const common = { agent_kind: kind, mcp_server_refs: null, secret_refs: null };
  return { ...common, ...(kind === 'openhands' ? DEFAULTS : {}), ...stored };
}

/** Returns the MCP servers that a profile names, once each and in its order, and the names that no server has. */
export function serversOf(
  { mcp_server_refs: refs }: Pick<StoredAgentProfile, 'mcp_server_refs'>,
  servers: JsonObject,
): { readonly servers: JsonObject; readonly missing: readonly string[] } {
  const names = [...new Set(refs ?? Object.keys(servers))];
  const known = (name: string): boolean => Object.hasOwn(servers, name);
  return {
    servers: Object.fromEntries(names.filter(known).map((name) => [name, servers[name] ?? null])),
    missing: names.filter((name) => !known(name)),
  };
}

/**
 * Returns the agent settings that a profile resolves to, as OpenHands' server resolves it: its own members or their defaults, with the model
 * and the MCP servers that it names. The agent has the skills of the server's user, of its project and the public ones. Names that do not
 * exist are left out. Of the settings, only the MCP servers count, and the model if the profile names none. An agent of another
 * program has the members that its profile does not have from settings of the same program.
 */
export function settingsOfProfile(
  profile: StoredAgentProfile,
  { settings, llm }: { readonly settings: JsonObject; readonly llm: JsonObject | undefined },
): JsonObject {
  const { system_message_suffix = null, disabled_skills = [], public_skills, tools, stored } = profile;
  const own = Object.entries(stored).filter(([name, value]) => value !== null && !NOT_SETTINGS.has(name));
  const { mcp_config: servers, agent_context: context } = readAgentSettings(settings);
  const isOwn = (profile.agent_kind ?? 'openhands') === 'openhands';
  const { llm: ofSettings = {} } = settings;
  return {
    ...(isOwn ? { ...DEFAULT_AGENT_SETTINGS, llm: ofSettings } : settingsOfProgram(settings, stored)),
    // the rules of the settings are not those of the profile
    enable_classify_and_switch_llm_tool: false,
    meta_profile: null,
    ...Object.fromEntries(own),
    active_meta_profile: profile.meta_profile_ref ?? null,
    ...(llm ? { llm } : {}),
    ...(tools ? { tools } : {}),
    mcp_config: serversOf(profile, servers).servers,
    agent_context: isOwn
      ? {
          skills: [],
          system_message_suffix,
          disabled_skills,
          load_user_skills: true,
          load_public_skills: public_skills === undefined || public_skills.length > 0,
          load_project_skills: true,
          ...(context['load_memory'] === true ? { load_memory: true } : {}),
        }
      : context,
  };
}

/** Returns settings without the command, the model and the mode of another program than that of a profile. */
function settingsOfProgram(settings: JsonObject, { acp_server: server }: JsonObject): JsonObject {
  const { acp_server: ofSettings = 'claude-code' } = settings;
  if (ofSettings === server) return settings;
  return Object.fromEntries(Object.entries(settings).filter(([name]) => !name.startsWith('acp_')));
}
