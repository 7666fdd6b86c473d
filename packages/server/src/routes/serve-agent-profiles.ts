import type { Cipher } from '@conv/core';
import {
  type AgentProfileDiagnostics,
  agentProfileRoutes,
  readAgentSettings,
  type StoredAgentProfile,
} from '@conv/openhands/rest';
import type { FastifyInstance } from 'fastify';

import { servingStored } from './settings-serving.ts';
import { ApiError } from '../http/api-error.ts';
import { settingsOfProfile } from '../settings/agent-profiles.ts';
import { exposed } from '../settings/secret-exposure.ts';
import { shownAgentSettings } from '../settings/settings-secrets.ts';
import type { SettingsStore } from '../settings/settings-store.ts';
import { hasKey } from '../settings/llm-profiles.ts';

/** Serves the agents that clients store under names. */
export function serveAgentProfiles(
  app: FastifyInstance,
  settingsStore: SettingsStore,
  cipher: Cipher | undefined,
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
  serve(agentProfileRoutes.materialize, async ({ params: { name } }) => {
    const profile = await profiles.get(name);
    if (!profile) throw missing(name);
    return diagnose(profile, settingsStore);
  });
}

/** Returns the settings that a profile resolves to, and its references to things that do not exist. */
async function diagnose(profile: StoredAgentProfile, settingsStore: SettingsStore): Promise<AgentProfileDiagnostics> {
  const { agent_settings: settings } = await settingsStore.settings.get();
  const { agent_kind = 'openhands', llm_profile_ref: ref = null, mcp_server_refs: refs = null } = profile;
  const llm = ref === null ? undefined : await settingsStore.llmProfiles.get(ref);
  const resolved = settingsOfProfile(profile, { settings, llm });
  const servers = Object.keys(readAgentSettings(settings).mcp_config);
  const dangling = (refs ?? []).filter((name) => !servers.includes(name));
  const errors = [
    ...(ref !== null && !llm ? [`LLM profile '${ref}' not found`] : []),
    ...dangling.map((name) => `MCP server '${name}' not found`),
  ];
  return {
    agent_kind,
    valid: errors.length === 0,
    errors,
    llm_profile_ref: ref,
    llm_profile_resolved: llm !== undefined,
    llm_api_key_set: llm !== undefined && hasKey(llm),
    mcp_server_refs: refs,
    resolved_mcp_config_keys: Object.keys(readAgentSettings(resolved).mcp_config),
    dangling_mcp_server_refs: dangling,
    disabled_skills: (profile.disabled_skills ?? []).filter((name) => typeof name === 'string'),
    resolved_skills: [],
    acp_api_key_secret_name: null,
    acp_base_url_secret_name: null,
    acp_file_secret_names: [],
    resolved_settings: shownAgentSettings(resolved),
  };
}
