import { join } from 'node:path';
import type { Cipher, Json, JsonObject } from '@conv/core';
import { isJsonObject, type Platform } from '@conv/core/platform';
import type { AgentProfile, AgentProfileInfo } from '@conv/openhands/rest';

import { atRest } from '../http/secret-texts.ts';
import { NamedFiles } from './named-files.ts';
import type { SettingsFilesDeps } from './stored-file.ts';

/** A stored profile, read once. What is missing or of another type is `undefined`. */
export interface StoredProfile {
  readonly name: string | undefined;
  /** `''` when it has none. */
  readonly id: string;
  readonly agentKind: string | undefined;
  /** The number of its changes. */
  readonly revision: number;
  readonly llmProfile: string | undefined;
  readonly mcpServers: readonly string[] | undefined;
  readonly disabledSkills: readonly Json[] | undefined;
  readonly systemSuffix: string | undefined;
  readonly tools: readonly Json[] | undefined;
  /** The profile as it is stored, with the members that are not known here. */
  readonly stored: JsonObject;
}

const SCHEMA_VERSION = 2;

/** Members of a profile that are no settings of an agent, or become others. */
const NOT_SETTINGS: ReadonlySet<string> = new Set([
  'schema_version',
  'id',
  'name',
  'revision',
  'llm_profile_ref',
  'system_message_suffix',
  'disabled_skills',
  'mcp_server_refs',
  'tools',
]);

/** Agents that clients keep under names, in `agent-profiles/<name>.json`. Each has an id, which a new name does not change. */
export class AgentProfiles {
  /** @internal */
  readonly files: NamedFiles;
  readonly #cipher: Cipher | undefined;
  readonly #platform: Pick<Platform, 'id'>;

  constructor({ directory, cipher, platform }: SettingsFilesDeps) {
    this.files = new NamedFiles(join(directory, 'agent-profiles'), platform);
    this.#cipher = cipher;
    this.#platform = platform;
  }

  /** Resolves with all profiles, sorted by name. Makes a profile named `default` when there is none. Rejects `StoredFileError`. */
  async list(defaults: Partial<AgentProfile>): Promise<readonly AgentProfileInfo[]> {
    if ((await this.files.names()).length === 0) await this.save('default', defaults);
    return (await this.#all()).map(infoOf);
  }

  async get(name: string): Promise<StoredProfile | undefined> {
    const stored = await this.files.get(name);
    return stored && readProfile(stored);
  }

  async byId(id: string): Promise<StoredProfile | undefined> {
    const wanted = id.replaceAll('-', '').toLowerCase();
    return (await this.#all()).find((profile) => profile.id.replaceAll('-', '').toLowerCase() === wanted);
  }

  /** Stores a profile. An existing profile keeps its id, and its revision grows by one. */
  async save(name: string, profile: Partial<AgentProfile> & { readonly id?: string }): Promise<StoredProfile> {
    let saved: JsonObject = {};
    await this.files.change(name, (stored) => {
      const before = stored && readProfile(stored);
      const { id: given } = readProfile(profile);
      const revision = before ? before.revision + 1 : 0;
      const id = before?.id || given || this.#platform.id();
      const kept = { agent_kind: 'openhands', ...profile, schema_version: SCHEMA_VERSION, id, name, revision };
      saved = atRest(kept, this.#cipher);
      return saved;
    });
    return readProfile(saved);
  }

  /** Resolves with true if the profile existed. */
  delete(name: string): Promise<boolean> {
    return this.files.delete(name);
  }

  /** Renames a profile. Resolves with the reason if that is not possible. */
  rename(name: string, newName: string): ReturnType<NamedFiles['rename']> {
    return this.files.rename(name, newName, (stored) => {
      return { ...stored, name: newName, revision: readProfile(stored).revision + 1 };
    });
  }

  async #all(): Promise<readonly StoredProfile[]> {
    return (await this.files.all()).map(({ name, stored }) => readProfile({ ...stored, name }));
  }
}

function readProfile(stored: JsonObject): StoredProfile {
  const text = (name: string): string | undefined => {
    const value = stored[name];
    return typeof value === 'string' ? value : undefined;
  };
  const list = (name: string): readonly Json[] | undefined => {
    const value = stored[name];
    return Array.isArray(value) ? value : undefined;
  };
  return {
    name: text('name'),
    id: text('id') ?? '',
    agentKind: text('agent_kind'),
    revision: typeof stored['revision'] === 'number' ? stored['revision'] : 0,
    llmProfile: text('llm_profile_ref'),
    mcpServers: list('mcp_server_refs')?.filter((ref) => typeof ref === 'string'),
    disabledSkills: list('disabled_skills'),
    systemSuffix: text('system_message_suffix'),
    tools: list('tools'),
    stored,
  };
}

function infoOf({ id, name, agentKind, revision, llmProfile, mcpServers }: StoredProfile): AgentProfileInfo {
  return {
    id,
    name: name ?? '',
    agent_kind: agentKind || 'openhands',
    revision,
    llm_profile_ref: llmProfile || null,
    mcp_server_refs: mcpServers ?? null,
  };
}

/**
 * Returns the agent settings that a profile resolves to: its own members over the settings, with the model and the MCP servers
 * that it names. Names that do not exist are left out.
 */
export function settingsOfProfile(
  { systemSuffix, disabledSkills, mcpServers, tools, stored }: StoredProfile,
  { settings, llm }: { readonly settings: JsonObject; readonly llm: JsonObject | undefined },
): JsonObject {
  const own = Object.entries(stored).filter(([name, value]) => value !== null && !NOT_SETTINGS.has(name));
  const { mcp_config: config, agent_context: context } = settings;
  const servers = Object.entries(isJsonObject(config) ? config : {});
  return {
    ...settings,
    ...Object.fromEntries(own),
    ...(llm ? { llm } : {}),
    ...(tools ? { tools } : {}),
    mcp_config: Object.fromEntries(mcpServers ? servers.filter(([name]) => mcpServers.includes(name)) : servers),
    agent_context: {
      ...(isJsonObject(context) ? context : {}),
      ...(systemSuffix === undefined ? {} : { system_message_suffix: systemSuffix }),
      ...(disabledSkills ? { disabled_skills: disabledSkills } : {}),
    },
  };
}
