import { join } from 'node:path';

import type { Cipher, Json, JsonObject } from '@conv/core';
import { isJsonObject, type Platform } from '@conv/core/platform';

import { atRest } from '../http/secret-texts.ts';
import { NamedFiles } from './named-files.ts';
import type { SettingsFilesDeps } from './settings-files.ts';

/** A profile in a list. */
export interface AgentProfileInfo {
  readonly id: string;
  readonly name: string;
  readonly agent_kind: string;
  readonly revision: number;
  readonly llm_profile_ref: string | null;
  readonly mcp_server_refs: readonly string[] | null;
}

const SCHEMA_VERSION = 2;

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
  async list(defaults: JsonObject): Promise<readonly AgentProfileInfo[]> {
    if ((await this.files.names()).length === 0) await this.save('default', defaults);
    return (await this.#all()).map(infoOf);
  }

  /** The profile of this name. */
  get(name: string): Promise<JsonObject | undefined> {
    return this.files.get(name);
  }

  /** The profile with this id. */
  async byId(id: string): Promise<JsonObject | undefined> {
    const wanted = id.replaceAll('-', '').toLowerCase();
    return (await this.#all()).find((profile) => idOf(profile).replaceAll('-', '').toLowerCase() === wanted);
  }

  /** Stores a profile. An existing profile keeps its id, and its revision grows by one. */
  async save(name: string, profile: JsonObject): Promise<JsonObject> {
    let saved: JsonObject = {};
    await this.files.change(name, (before) => {
      const revision = before === undefined ? 0 : revisionOf(before) + 1;
      const id = idOf(before ?? {}) || idOf(profile) || this.#platform.id();
      saved = atRest(
        { agent_kind: 'openhands', ...profile, schema_version: SCHEMA_VERSION, id, name, revision } as JsonObject,
        this.#cipher,
      );
      return saved;
    });
    return saved;
  }

  /** Resolves with true if the profile existed. */
  delete(name: string): Promise<boolean> {
    return this.files.delete(name);
  }

  /** Renames a profile. Resolves with the reason if that is not possible. */
  async rename(name: string, newName: string): Promise<'missing' | 'exists' | undefined> {
    const profile = await this.files.get(name);
    if (!profile) return 'missing';
    if (name === newName) return undefined;
    let exists = false;
    await this.files.change(newName, (before) => {
      exists = before !== undefined;
      return exists ? undefined : { ...profile, name: newName, revision: revisionOf(profile) + 1 };
    });
    if (exists) return 'exists';
    await this.files.delete(name);
    return undefined;
  }

  async #all(): Promise<readonly JsonObject[]> {
    const names = await this.files.names();
    const found = await Promise.all(names.map(async (name) => ({ name, profile: await this.files.get(name) })));
    return found.flatMap(({ name, profile }) => (profile ? [{ ...profile, name }] : []));
  }
}

/** Returns the id of a profile; `''` when it has none. */
export function idOf(profile: JsonObject): string {
  return typeof profile['id'] === 'string' ? profile['id'] : '';
}

/** Returns the number of changes of a profile. */
export function revisionOf(profile: JsonObject): number {
  return typeof profile['revision'] === 'number' ? profile['revision'] : 0;
}

function infoOf(profile: JsonObject): AgentProfileInfo {
  const refs = profile['mcp_server_refs'];
  return {
    id: idOf(profile),
    name: textOf(profile['name']) ?? '',
    agent_kind: textOf(profile['agent_kind']) ?? 'openhands',
    revision: revisionOf(profile),
    llm_profile_ref: textOf(profile['llm_profile_ref']),
    mcp_server_refs: Array.isArray(refs) ? refs.filter((ref): ref is string => typeof ref === 'string') : null,
  };
}

/**
 * Returns the agent settings that a profile resolves to: its own members over the settings, with the model and the MCP servers
 * that it names. Names that do not exist are left out.
 */
export function settingsOfProfile(
  profile: JsonObject,
  { settings, llm }: { readonly settings: JsonObject; readonly llm: JsonObject | undefined },
): JsonObject {
  const { system_message_suffix: suffix, disabled_skills: disabled, mcp_server_refs: refs, tools, ...rest } = profile;
  const own = Object.entries(rest).filter(
    ([name, value]) =>
      value !== null && !['schema_version', 'id', 'name', 'revision', 'llm_profile_ref'].includes(name),
  );
  const { mcp_config: config, agent_context: context } = settings;
  const servers = isJsonObject(config) ? config : {};
  const chosen = Array.isArray(refs)
    ? Object.entries(servers).filter(([name]) => refs.includes(name))
    : Object.entries(servers);
  return {
    ...settings,
    ...Object.fromEntries(own),
    ...(llm ? { llm } : {}),
    ...(Array.isArray(tools) ? { tools: tools as Json } : {}),
    mcp_config: Object.fromEntries(chosen),
    agent_context: {
      ...(isJsonObject(context) ? context : {}),
      ...(typeof suffix === 'string' ? { system_message_suffix: suffix } : {}),
      ...(Array.isArray(disabled) ? { disabled_skills: disabled as Json } : {}),
    },
  };
}

function textOf(value: Json | undefined): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
