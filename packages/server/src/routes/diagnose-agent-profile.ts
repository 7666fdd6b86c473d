import { errorText, type JsonObject } from '@conv/core';
import { isJsonObject } from '@conv/core/platform';
import { type AgentProfileDiagnostics, readAgentSettings, type StoredAgentProfile } from '@conv/openhands/rest';

import { isDefaultTool } from '../conversations/agent-from-settings.ts';
import { ownSkills } from '../conversations/own-skills.ts';
import { problemsOf } from '../conversations/unresolved-references.ts';
import type { ServerPlugins } from '../hosting/server-plugins.ts';
import { serversOf, settingsOfProfile } from '../settings/agent-profiles.ts';
import { unresolvedReferences } from '../settings/profile-references.ts';
import { shownAgentSettings } from '../settings/settings-secrets.ts';
import type { SettingsStore } from '../settings/settings-store.ts';

/** The tools of a browser, which clients list for servers with and without one. */
const BROWSER = 'browser_tool_set';

/** The parts of a server that agents of profiles are made of. */
export interface ProfileParts {
  readonly settingsStore: SettingsStore;
  /** Names of the tools of the server; `undefined`: not known. */
  readonly tools: readonly string[] | undefined;
  /** `undefined`: the server has no skills. */
  readonly plugins: Pick<ServerPlugins, 'skillsFor'> | undefined;
}

/**
 * Returns what a profile resolves to when a conversation starts with it, or which of its references lead nowhere, as OpenHands' server does.
 * Rejects `StoredObjectError`.
 */
export async function diagnoseAgentProfile(
  profile: StoredAgentProfile,
  { settingsStore, tools, plugins }: ProfileParts,
): Promise<AgentProfileDiagnostics> {
  const { agent_settings: settings } = await settingsStore.settings.get();
  const { agent_kind = 'openhands', mcp_server_refs: refs = null, llm_profile_ref: ref } = profile;
  const unresolved = await unresolvedReferences(profile, settingsStore, { settings });
  const model = unresolved.llmProfile === null ? await modelOf(ref, settingsStore) : { isKnown: false };
  const unusable = unusableTools(profile, tools);
  // an agent without a browser is what the client asked for
  const failing = unusable.filter((name) => name !== BROWSER);
  const errors = [
    ...(failing.length === 0 ? [] : [`Tool(s) this server cannot run: ${failing.join(', ')}`]),
    ...problemsOf(unresolved),
    ...(model.failure === undefined ? [] : [`Failed to build agent settings: ${model.failure}`]),
  ];
  const hasModel = unresolved.llmProfile === null && model.failure === undefined;
  const skills = hasModel ? await skillsOf(profile, plugins) : [];
  const resolved = settingsOfProfile(profile, { settings, llm: model.llm });
  return {
    agent_kind,
    valid: errors.length === 0,
    errors,
    unusable_tools: unusable,
    llm_profile_ref: ref ?? null,
    llm_profile_resolved: model.isKnown,
    llm_api_key_set: model.llm !== undefined && (await settingsStore.llmProfiles.hasKey(model.llm)),
    mcp_server_refs: refs,
    resolved_mcp_config_keys: Object.keys(serversOf(profile, readAgentSettings(settings).mcp_config).servers),
    dangling_mcp_server_refs: [...unresolved.mcpServers],
    disabled_skills: (profile.disabled_skills ?? []).filter((name) => typeof name === 'string'),
    public_skills: profile.public_skills ?? null,
    resolved_skills: skills.flatMap(({ name }) => (typeof name === 'string' ? [name] : [])),
    secret_refs: profile.secret_refs ?? null,
    acp_api_key_secret_name: null,
    acp_base_url_secret_name: null,
    acp_file_secret_names: [],
    meta_profile_ref: profile.meta_profile_ref ?? null,
    dangling_meta_profile_ref: unresolved.metaProfile,
    dangling_meta_profile_llm_refs: [...unresolved.metaModels],
    resolved_settings: errors.length === 0 ? shownAgentSettings(withSkillsOf(resolved, skills)) : null,
  };
}

interface Model {
  /** True if the profile names a model that can be used. */
  readonly isKnown: boolean;
  readonly llm?: JsonObject | undefined;
  /** The reason why the model cannot be used, such as a provider connection that does not exist. */
  readonly failure?: string;
}

async function modelOf(ref: string | undefined, { llmProfiles }: SettingsStore): Promise<Model> {
  if (ref === undefined) return { isKnown: false };
  try {
    return { isKnown: true, llm: await llmProfiles.resolved(ref) };
  } catch (error) {
    return { isKnown: false, failure: `LLM profile '${ref}': ${errorText(error)}` };
  }
}

function unusableTools({ tools = [] }: StoredAgentProfile, usable: readonly string[] | undefined): string[] {
  if (usable === undefined) return [];
  const names = tools.flatMap((tool) => (isJsonObject(tool) && typeof tool['name'] === 'string' ? tool['name'] : []));
  return names.filter((name) => !usable.includes(name) && !isDefaultTool(name));
}

/** Resolves with the skills that a conversation adds to the agent before it knows its project. An agent of another program has its own. */
async function skillsOf(
  { agent_kind: kind = 'openhands', disabled_skills: disabled = [], public_skills: chosen }: StoredAgentProfile,
  plugins: ProfileParts['plugins'],
): Promise<readonly JsonObject[]> {
  if (kind !== 'openhands' || !plugins) return [];
  return ownSkills((wanted) => plugins.skillsFor(wanted), { user: true, public: chosen ?? true, disabled });
}

/** Returns settings whose agent has these skills, so that it loads no others. */
function withSkillsOf(settings: JsonObject, skills: readonly JsonObject[]): JsonObject {
  const { agent_context: context } = readAgentSettings(settings);
  const loaded = { load_user_skills: false, load_public_skills: false };
  return { ...settings, agent_context: { ...context, skills, ...loaded } };
}
