import type { Cipher, Json, JsonObject } from '@conv/core';
import { isJsonObject } from '@conv/core/platform';
import { readAgentSettings, type SettingsResponse, type UpdateSettingsRequest } from '@conv/openhands/rest';

import { withAsterisks } from '../http/secret-texts.ts';
import { DEFAULT_AGENT_SETTINGS, DEFAULT_CONVERSATION_SETTINGS } from './default-settings.ts';
import { merge } from './merge-settings.ts';
import { changedNewerSettings, newerSettings } from './newer-settings.ts';
import { settingsAtRest, shownSettings } from './settings-secrets.ts';
import type { SettingsDeps, StoredObject } from './settings-place.ts';

/** Settings that clients stored for future conversations. Secrets are encrypted or replaced by asterisks. */
export type StoredSettings = Omit<SettingsResponse, 'llm_api_key_is_set'>;

/** Throws to refuse a change of settings. */
export type SettingsCheck = (after: StoredSettings, before: StoredSettings) => void;

/** The reason that an MCP server could not be added or changed. */
export type McpRefusal = 'exists' | 'missing';

const SCHEMA_VERSION = 2;

/** The settings of a server's clients. */
export class ClientSettings {
  /** @internal */
  readonly object: StoredObject;
  readonly #cipher: Cipher | undefined;

  constructor({ place, cipher }: Omit<SettingsDeps, 'platform'>) {
    this.object = place.settings;
    this.#cipher = cipher;
  }

  /** Resolves with the settings, and with defaults for unset members. Rejects `StoredObjectError`. */
  async get(): Promise<StoredSettings> {
    return toSettings(await this.object.read());
  }

  /**
   * Merges the members of `diff` into the settings. `check` may throw to refuse the result. `llm` replaces the model as a whole, because the key
   * of one model must not go to the address of another.
   */
  async patch(
    diff: UpdateSettingsRequest,
    check: SettingsCheck = () => {},
    { llm }: { readonly llm?: JsonObject | undefined } = {},
  ): Promise<StoredSettings> {
    return this.#change((before) => {
      const shown = shownSettings(before);
      const part = (name: 'agent_settings' | 'conversation_settings' | 'misc_settings'): JsonObject =>
        merge(before[name], diff[`${name}_diff`] ?? {}, shown[name], { removesBelow: name === 'misc_settings' });
      const changed: StoredSettings = {
        ...changedNewerSettings(before, diff, shown),
        agent_settings: {
          ...part('agent_settings'),
          ...mergedServers(before.agent_settings, diff.agent_settings_diff, shown.agent_settings),
          ...(llm ? { llm } : {}),
        },
        conversation_settings: part('conversation_settings'),
        misc_settings: part('misc_settings'),
        active_profile: diff.active_profile === undefined ? before.active_profile : diff.active_profile,
        active_agent_profile_id:
          diff.active_agent_profile_id === undefined ? before.active_agent_profile_id : diff.active_agent_profile_id,
        active_meta_profile: before.active_meta_profile,
      };
      const after = withMetaProfile(changed, diff.active_meta_profile);
      check(after, before);
      return after;
    });
  }

  /** Adds, changes or removes an MCP server. Resolves with the settings, or with the reason of a refusal; `check` as in `patch`. */
  async changeServer(
    key: string,
    change: { readonly add: JsonObject } | { readonly patch: JsonObject } | 'remove',
    check: SettingsCheck = () => {},
  ): Promise<StoredSettings | McpRefusal> {
    let refusal: McpRefusal | undefined;
    const settings = await this.#change((before) => {
      const servers: Record<string, Json> = { ...readAgentSettings(before.agent_settings).mcp_config };
      const existing = Object.hasOwn(servers, key) ? servers[key] : undefined;
      const isAdded = change !== 'remove' && 'add' in change;
      if (isAdded === (existing !== undefined)) {
        refusal = isAdded ? 'exists' : 'missing';
        return before;
      }
      if (change === 'remove') delete servers[key];
      else
        servers[key] = isAdded ? change.add : patched(existing as JsonObject, (change as { patch: JsonObject }).patch);
      const after = { ...before, agent_settings: { ...before.agent_settings, mcp_config: servers } };
      check(after, before);
      return after;
    });
    return refusal ?? settings;
  }

  async #change(work: (before: StoredSettings) => StoredSettings): Promise<StoredSettings> {
    let changed: StoredSettings | undefined;
    await this.object.change((stored) => {
      const before = toSettings(stored);
      const after = work(before);
      changed = after === before ? before : settingsAtRest(after, this.#cipher);
      return after === before
        ? undefined
        : { ...stored, schema_version: SCHEMA_VERSION, ...(changed as unknown as JsonObject) };
    });
    return changed as StoredSettings;
  }
}

/**
 * Returns settings whose agents choose their model by the rules of this name; null: they keep their model. Agents of other programs (ACP)
 * cannot choose, so that their settings name no rules.
 */
function withMetaProfile(settings: StoredSettings, name: string | null | undefined): StoredSettings {
  const { agent_settings: agent, active_meta_profile: active } = settings;
  if (readAgentSettings(agent).agent_kind === 'acp')
    return active === null ? settings : { ...settings, active_meta_profile: null };
  if (name === undefined) return settings;
  return {
    ...settings,
    active_meta_profile: name,
    agent_settings: { ...agent, active_meta_profile: name, enable_classify_and_switch_llm_tool: name !== null },
  };
}

/** Returns the MCP servers with those of a diff, if it has some. A null removes a server, or a member of one such as a header. */
function mergedServers(before: JsonObject, diff: JsonObject | null | undefined, shown: JsonObject): JsonObject {
  const servers = diff?.['mcp_config'];
  if (!isJsonObject(servers)) return {};
  const [base, asShown] = [before, shown].map((settings) => readAgentSettings(settings).mcp_config);
  return { mcp_config: merge(base ?? {}, servers, asShown, { removes: true }) };
}

/** Returns a server with a patch applied; null removes a member. */
function patched(server: JsonObject, patch: JsonObject): JsonObject {
  const { mcp_config: shown } = withAsterisks({ mcp_config: { server } });
  const merged = merge(server, patch, (shown as { server: JsonObject }).server, { removes: true });
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null));
}

function toSettings(stored: JsonObject | undefined): StoredSettings {
  const object = (name: string): JsonObject => {
    const value = stored?.[name];
    return isJsonObject(value) ? value : {};
  };
  const text = (name: string): string | null => {
    const value = stored?.[name];
    return typeof value === 'string' ? value : null;
  };
  // an earlier version kept variables of programs
  const { acp_env: _, ...agent } = object('agent_settings');
  return {
    ...newerSettings(stored ?? {}),
    agent_settings: { ...DEFAULT_AGENT_SETTINGS, ...agent },
    conversation_settings: { ...DEFAULT_CONVERSATION_SETTINGS, ...object('conversation_settings') },
    active_profile: text('active_profile'),
    active_agent_profile_id: text('active_agent_profile_id'),
    active_meta_profile: text('active_meta_profile'),
    misc_settings: object('misc_settings'),
  };
}
