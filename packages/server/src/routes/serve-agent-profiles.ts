import type { JsonObject } from '@conv/core';
import { isJsonObject } from '@conv/core/platform';
import {
  type AgentProfileDiagnostics,
  agentProfileRoutes,
  readAgentProfile,
  readAgentSettings,
  type StoredAgentProfile,
} from '@conv/openhands/rest';
import type { FastifyInstance } from 'fastify';

import { servingStored, type SettingsServing } from './settings-serving.ts';
import { isDefaultTool } from '../conversations/agent-from-settings.ts';
import { ApiError } from '../http/api-error.ts';
import { settingsOfProfile } from '../settings/agent-profiles.ts';
import { exposed } from '../settings/secret-exposure.ts';
import { shownAgentSettings } from '../settings/settings-secrets.ts';
import type { SettingsStore } from '../settings/settings-store.ts';

/** Serves the agents that clients store under names. */
export function serveAgentProfiles(
  app: FastifyInstance,
  settingsStore: SettingsStore,
  { cipher, about }: Pick<SettingsServing, 'cipher' | 'about'>,
): void {
  const serve = servingStored(app, 'Profile');
  const { agentProfiles: profiles, settings } = settingsStore;
  const missing = (name: string): ApiError => new ApiError(404, `Agent profile '${name}' not found`);
  serve(agentProfileRoutes.list, async () => {
    const { active_profile: llm, active_agent_profile_id: active } = await settings.get();
    const listed = await profiles.list(llm === null ? {} : { llm_profile_ref: llm });
    return { profiles: listed, active_agent_profile_id: active };
  });
  serve(agentProfileRoutes.get, async ({ params: { name } }) => {
    const profile = await profiles.get(name);
    if (!profile) throw missing(name);
    return { name, profile: exposed(profile.stored, 'redacted', cipher) };
  });
  serve(agentProfileRoutes.save, async ({ params: { name }, body }) => {
    await profiles.save(name, body);
    return { name, message: `Agent profile '${name}' saved` };
  });
  serve(agentProfileRoutes.remove, async ({ params: { name } }) => {
    const profile = await profiles.get(name);
    await profiles.delete(name);
    if (profile && (await settings.get()).active_agent_profile_id === profile.id)
      await settings.patch({ active_agent_profile_id: null });
    return { name, message: `Agent profile '${name}' deleted` };
  });
  serve(agentProfileRoutes.rename, async ({ params: { name }, body: { new_name: newName } }) => {
    const refused = await profiles.rename(name, newName);
    if (refused === 'missing') throw missing(name);
    if (refused === 'exists') throw new ApiError(409, `Agent profile '${newName}' already exists`);
    return { name: newName, message: `Agent profile '${name}' renamed to '${newName}'` };
  });
  serve(agentProfileRoutes.activate, async ({ params: { profile_id: id } }) => {
    const profile = await profiles.byId(id);
    if (!profile) throw new ApiError(404, `Agent profile '${id}' not found`);
    await settings.patch({ active_agent_profile_id: profile.id });
    return { id: profile.id, message: 'Agent profile activated', agent_settings_applied: false };
  });
  serve(agentProfileRoutes.materialize, async ({ params: { name }, body: { profile: draft } }) => {
    const profile = draft ? readAgentProfile({ ...(draft as unknown as JsonObject), name }) : await profiles.get(name);
    if (!profile) throw missing(name);
    return diagnose(profile, settingsStore, about?.tools);
  });
}

/** The tools of a browser, which clients list for servers with and without one. */
const BROWSER = 'browser_tool_set';

/** Returns the settings that a profile resolves to, and its references to things that do not exist. */
async function diagnose(
  profile: StoredAgentProfile,
  settingsStore: SettingsStore,
  usable: readonly string[] | undefined,
): Promise<AgentProfileDiagnostics> {
  const { agent_settings: settings } = await settingsStore.settings.get();
  const { agent_kind = 'openhands', llm_profile_ref: ref = null, mcp_server_refs: refs = null } = profile;
  const llm = ref === null ? undefined : await settingsStore.llmProfiles.get(ref);
  const resolved = settingsOfProfile(profile, { settings, llm });
  const servers = Object.keys(readAgentSettings(settings).mcp_config);
  const dangling = (refs ?? []).filter((name) => !servers.includes(name));
  const meta = await missingRules(profile, settingsStore);
  const unusable = unusableTools(profile, usable);
  const errors = [
    ...(ref !== null && !llm ? [`LLM profile '${ref}' not found`] : []),
    ...dangling.map((name) => `MCP server '${name}' not found`),
    ...(meta.dangling_meta_profile_ref === null ? [] : [`Meta-profile '${meta.dangling_meta_profile_ref}' not found`]),
    ...meta.dangling_meta_profile_llm_refs.map((name) => `LLM profile '${name}' of the meta-profile not found`),
    // an agent without a browser is what the client asked for, as on OpenHands' server
    ...unusable.filter((name) => name !== BROWSER).map((name) => `Tool '${name}' cannot run on this server`),
  ];
  return {
    agent_kind,
    meta_profile_ref: profile.meta_profile_ref ?? null,
    ...meta,
    unusable_tools: unusable,
    valid: errors.length === 0,
    errors,
    llm_profile_ref: ref,
    llm_profile_resolved: llm !== undefined,
    llm_api_key_set: llm !== undefined && (await settingsStore.llmProfiles.hasKey(llm)),
    mcp_server_refs: refs,
    resolved_mcp_config_keys: Object.keys(readAgentSettings(resolved).mcp_config),
    dangling_mcp_server_refs: dangling,
    disabled_skills: (profile.disabled_skills ?? []).filter((name) => typeof name === 'string'),
    resolved_skills: [],
    secret_refs: profile.secret_refs ?? null,
    public_skills: profile.public_skills ?? null,
    acp_api_key_secret_name: null,
    acp_base_url_secret_name: null,
    acp_file_secret_names: [],
    resolved_settings: shownAgentSettings(resolved),
  };
}

type MissingRules = Pick<AgentProfileDiagnostics, 'dangling_meta_profile_ref' | 'dangling_meta_profile_llm_refs'>;

/** Returns the rules that a profile names and that do not exist, or the models of these rules that do not exist. */
async function missingRules(
  { meta_profile_ref: name, enable_classify_and_switch_llm_tool: isEnabled }: StoredAgentProfile,
  { metaProfiles, llmProfiles }: SettingsStore,
): Promise<MissingRules> {
  const none = { dangling_meta_profile_ref: null, dangling_meta_profile_llm_refs: [] };
  if (!isEnabled || name === undefined) return none;
  const rules = await metaProfiles.read(name);
  if (!rules) return { ...none, dangling_meta_profile_ref: name };
  const stored = await llmProfiles.names();
  const named = [rules.classifier_model, ...rules.classes.map(({ model }) => model)];
  return { ...none, dangling_meta_profile_llm_refs: [...new Set(named)].filter((llm) => !stored.includes(llm)) };
}

/** @param usable names of the tools of the server; `undefined`: not known */
function unusableTools({ tools = [] }: StoredAgentProfile, usable: readonly string[] | undefined): readonly string[] {
  if (usable === undefined) return [];
  const names = tools.flatMap((tool) => (isJsonObject(tool) && typeof tool['name'] === 'string' ? tool['name'] : []));
  return names.filter((name) => !usable.includes(name) && !isDefaultTool(name));
}
