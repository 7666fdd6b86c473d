import type { JsonObject } from '@conv/core';
import { agentProfileRoutes, readAgentProfile } from '@conv/openhands/rest';
import type { FastifyInstance } from 'fastify';

import { diagnoseAgentProfile } from './diagnose-agent-profile.ts';
import { servingStored, type SettingsServing } from './settings-serving.ts';
import { checkProgram } from '../auth/approver-checks.ts';
import { accessOf, callerOf } from '../auth/caller.ts';
import { ApiError } from '../http/api-error.ts';
import { withActiveAgentProfile } from '../settings/active-agent-profile.ts';
import { wholeProfile } from '../settings/agent-profiles.ts';
import { exposed } from '../settings/secret-exposure.ts';
import type { SettingsStore } from '../settings/settings-store.ts';

/** The number of profiles that are stored at most. */
const MOST = 50;

/** Serves the agents that clients store under names. */
export function serveAgentProfiles(
  app: FastifyInstance,
  settingsStore: SettingsStore,
  { cipher, about, plugins }: Pick<SettingsServing, 'cipher' | 'about' | 'plugins'>,
): void {
  const serve = servingStored(app, 'Profile');
  const { agentProfiles: profiles, settings } = settingsStore;
  const missing = (name: string): ApiError => new ApiError(404, `Agent profile '${name}' not found`);
  serve(agentProfileRoutes.list, async ({ request }) => {
    // a caller who may change no settings makes no profile of them by looking
    const mayMake = callerOf(request).scopes.includes('admin');
    const { active_agent_profile_id: active } = await (mayMake
      ? withActiveAgentProfile(settingsStore)
      : settings.get());
    return { profiles: await profiles.list(), active_agent_profile_id: active };
  });
  serve(agentProfileRoutes.get, async ({ params: { name } }) => {
    const profile = await profiles.get(name);
    if (!profile) throw missing(name);
    return { name, profile: exposed(wholeProfile(profile), 'redacted', cipher) };
  });
  serve(agentProfileRoutes.save, async ({ params: { name }, body, request }) => {
    const before = await profiles.get(name);
    checkProgram(accessOf(request), before?.stored ?? {}, body as unknown as JsonObject);
    const names = await profiles.named.names();
    if (names.length >= MOST && !names.includes(name))
      throw new ApiError(409, `Agent profile limit reached (${MOST}). Delete a profile before saving a new one.`);
    await profiles.save(name, body as unknown as JsonObject);
    return { name, message: `Agent profile '${name}' saved` };
  });
  serve(agentProfileRoutes.remove, async ({ params: { name } }) => {
    const profile = await profiles.get(name);
    await profiles.delete(name);
    if (profile && (await settings.get()).active_agent_profile_id === profile.id)
      await withActiveAgentProfile(settingsStore);
    return { name, message: `Agent profile '${name}' deleted` };
  });
  serve(agentProfileRoutes.rename, async ({ params: { name }, body: { new_name: newName } }) => {
    const refused = await profiles.rename(name, newName);
    if (refused === 'missing') throw missing(name);
    if (refused === 'exists') throw new ApiError(409, `Agent profile '${newName}' already exists`);
    const change = name === newName ? 'unchanged (same name)' : `renamed to '${newName}'`;
    return { name: newName, message: `Agent profile '${name}' ${change}` };
  });
  serve(agentProfileRoutes.activate, async ({ params: { profile_id: id } }) => {
    const profile = await profiles.byId(id);
    if (!profile) throw new ApiError(404, `Agent profile with id '${id}' not found`);
    await settings.patch({ active_agent_profile_id: profile.id });
    return { id: profile.id, message: `Agent profile '${profile.id}' activated`, agent_settings_applied: false };
  });
  serve(agentProfileRoutes.materialize, async ({ params: { name }, body: { profile: draft } }) => {
    const profile = draft ? readAgentProfile({ ...(draft as unknown as JsonObject), name }) : await profiles.get(name);
    if (!profile) throw missing(name);
    return diagnoseAgentProfile(profile, { settingsStore, tools: about?.tools, plugins });
  });
}
