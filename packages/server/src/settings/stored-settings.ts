import type { Cipher, Json, JsonObject } from '@conv/core';
import { isJsonObject } from '@conv/core/platform';
import { readAgentSettings, type SettingsResponse, type UpdateSettingsRequest } from '@conv/openhands/rest';

import { atRest, withAsterisks } from '../http/secret-texts.ts';
import { merge } from './merge-settings.ts';
import { changedNewerSettings, newerSettings } from './newer-settings.ts';
import type { SettingsDeps, StoredObject } from './settings-place.ts';

/** Settings that clients stored for future conversations. Secrets are encrypted or replaced by asterisks. */
export type StoredSettings = Omit<SettingsResponse, 'llm_api_key_is_set'>;

/** Throws to refuse a change of settings. */
export type SettingsCheck = (after: StoredSettings, before: StoredSettings) => void;

/** The reason that an MCP server could not be added or changed. */
export type McpRefusal = 'exists' | 'missing';

const SCHEMA_VERSION = 2;

/** Names of the tools of agents whose settings name none. */
export const DEFAULT_TOOLS: readonly string[] = ['terminal', 'file_editor', 'task_tracker'];

/** Agent settings before any client has set them. */
export const DEFAULT_AGENT_SETTINGS: JsonObject = {
  schema_version: 5,
  agent_kind: 'openhands',
  agent: 'CodeActAgent',
  llm: { model: '', usage_id: 'agent' },
  tools: DEFAULT_TOOLS.map((name) => ({ name, params: {} })),
  enable_sub_agents: false,
  enable_switch_llm_tool: true,
  tool_concurrency_limit: 1,
  mcp_config: {},
  agent_context: {
    skills: [],
    system_message_suffix: null,
    user_message_suffix: null,
    load_user_skills: true,
    load_public_skills: false,
    secrets: null,
  },
  condenser: {
    enabled: true,
    max_size: 240,
    condenser_kind: 'llm_summarizing',
    max_tokens: null,
    keep_first: 2,
    minimum_progress: 0.1,
    hard_context_reset_max_retries: 5,
    hard_context_reset_context_scaling: 0.8,
  },
  verification: {
    critic_enabled: false,
    critic_mode: 'finish_and_message',
    enable_iterative_refinement: false,
    critic_threshold: 0.6,
    max_refinement_iterations: 3,
    critic_server_url: null,
    critic_model_name: null,
    critic_api_key: null,
  },
};

/** Conversation settings before any client has set them. */
export const DEFAULT_CONVERSATION_SETTINGS: JsonObject = {
  schema_version: 1,
  max_iterations: 500,
  confirmation_mode: false,
  security_analyzer: 'llm',
};

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

  /** Merges the members of `diff` into the settings. `check` may throw to refuse the result. */
  async patch(diff: UpdateSettingsRequest, check: SettingsCheck = () => {}): Promise<StoredSettings> {
    return this.#change((before) => {
      const after: StoredSettings = {
        ...changedNewerSettings(before, diff),
        agent_settings: merge(before.agent_settings, diff.agent_settings_diff ?? {}),
        conversation_settings: merge(before.conversation_settings, diff.conversation_settings_diff ?? {}),
        misc_settings: merge(before.misc_settings, diff.misc_settings_diff ?? {}),
        active_profile: diff.active_profile === undefined ? before.active_profile : diff.active_profile,
        active_agent_profile_id:
          diff.active_agent_profile_id === undefined ? before.active_agent_profile_id : diff.active_agent_profile_id,
      };
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
      changed =
        after === before ? before : (atRest(after as unknown as JsonObject, this.#cipher) as unknown as StoredSettings);
      return after === before
        ? undefined
        : { ...stored, schema_version: SCHEMA_VERSION, ...(changed as unknown as JsonObject) };
    });
    return changed as StoredSettings;
  }
}

/** Returns a server with a patch applied; null removes a member. */
function patched(server: JsonObject, patch: JsonObject): JsonObject {
  const { mcp_config: shown } = withAsterisks({ mcp_config: { server } });
  const merged = merge(server, patch, (shown as { server: JsonObject }).server);
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
  return {
    ...newerSettings(stored ?? {}),
    agent_settings: { ...DEFAULT_AGENT_SETTINGS, ...object('agent_settings') },
    conversation_settings: { ...DEFAULT_CONVERSATION_SETTINGS, ...object('conversation_settings') },
    active_profile: text('active_profile'),
    active_agent_profile_id: text('active_agent_profile_id'),
    misc_settings: object('misc_settings'),
  };
}
