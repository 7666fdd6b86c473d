import { errorText, type JsonObject } from '@conv/core';
import { llmProfileRoutes, readAgentSettings } from '@conv/openhands/rest';
import type { FastifyInstance } from 'fastify';

import { servingStored, type SettingsServing } from './settings-serving.ts';
import { badUrlIn } from '../conversations/refuse-bad-urls.ts';
import { inTheClear } from '../http/secret-texts.ts';
import { ApiError, invalidMember } from '../http/api-error.ts';
import { checkModelName } from '../conversations/check-model-name.ts';
import { exposed, exposureOf } from '../settings/secret-exposure.ts';
import type { SettingsStore } from '../settings/settings-store.ts';

/** The number of profiles that are stored at most. */
const MOST = 50;

/** Serves the models that clients store under names. */
export function serveLlmProfiles(
  app: FastifyInstance,
  settingsStore: SettingsStore,
  { cipher, checkModel }: SettingsServing,
): void {
  const serve = servingStored(app, 'Profile');
  const { llmProfiles: profiles, agentProfiles, settings } = settingsStore;
  const missing = (name: string): ApiError => new ApiError(404, `Profile '${name}' not found`);
  serve(llmProfileRoutes.list, async () => {
    const { active_profile } = await settings.get();
    return { profiles: await profiles.list(), active_profile };
  });
  serve(llmProfileRoutes.get, async ({ params: { name }, request }) => {
    const exposure = exposureOf(request, cipher);
    const llm = await profiles.get(name);
    if (!llm) throw missing(name);
    const config = exposed(llm, exposure, cipher);
    // a client must not take asterisks for a key; `api_key_set` tells if a key exists
    const shown = exposure === 'redacted' ? { ...config, api_key: null } : config;
    return { name, config: shown, api_key_set: await profiles.hasKey(llm) };
  });
  serve(llmProfileRoutes.save, async ({ params: { name }, body }) => {
    checkModelName(body.llm as unknown as JsonObject);
    const names = await profiles.names();
    if (names.length >= MOST && !names.includes(name))
      throw new ApiError(409, `Profile limit reached (${MOST}). Delete a profile before saving a new one.`);
    await profiles.save(name, body.llm as unknown as JsonObject, {
      includeSecrets: body.include_secrets,
      check: (llm) => {
        const bad = badUrlIn(llm, ['llm']);
        if (bad) throw invalidMember(bad.path, bad.text);
      },
    });
    return { name, message: `Profile '${name}' saved` };
  });
  serve(llmProfileRoutes.remove, async ({ params: { name } }) => {
    const users = await agentProfiles.usersOf(name);
    if (users.length > 0)
      throw new ApiError(409, `LLM profile is referenced by ${users.length} agent profile(s): ${users.join(', ')}`);
    await profiles.delete(name);
    if ((await settings.get()).active_profile === name) await settings.patch({ active_profile: null });
    return { name, message: `Profile '${name}' deleted` };
  });
  serve(llmProfileRoutes.rename, async ({ params: { name }, body: { new_name: newName } }) => {
    const refused = await profiles.rename(name, newName);
    if (refused === 'missing') throw missing(name);
    if (refused === 'exists') throw new ApiError(409, `Profile '${newName}' already exists`);
    if (name === newName) return { name, message: `Profile '${name}' unchanged (same name)` };
    await agentProfiles.useModel(name, newName);
    if ((await settings.get()).active_profile === name) await settings.patch({ active_profile: newName });
    return { name: newName, message: `Profile '${name}' renamed to '${newName}'` };
  });
  serve(llmProfileRoutes.validate, async ({ body }) => {
    checkModelName(body.llm as unknown as JsonObject);
    const llm = await settingsStore.providerConnections.resolve(body.llm as unknown as JsonObject);
    try {
      await checkModel?.(cipher ? inTheClear(llm, cipher) : llm);
      return { valid: true, error: null };
    } catch (error) {
      const type = error instanceof Error ? error.name : 'Error';
      return { valid: false, error: { type, message: errorText(error) } };
    }
  });
  serve(llmProfileRoutes.activate, async ({ params: { name } }) => {
    const llm = await profiles.resolved(name);
    if (!llm) throw missing(name);
    const { agent_settings: agent } = await settings.get();
    // an agent of another program has no model to replace
    const applied = readAgentSettings(agent).agent_kind !== 'acp';
    await settings.patch({ active_profile: name }, undefined, applied ? { llm } : {});
    const more = applied ? ' and applied to current settings' : '';
    return { name, message: `Profile '${name}' activated${more}`, llm_applied: applied };
  });
}
