import { readAgentSettings, type StoredAgentProfile } from '@conv/openhands/rest';
import { isJsonObject } from '@conv/core/platform';
import { readLlm } from '@conv/openhands/descriptions';

import { hasKey } from './llm-profiles.ts';
import { seedProfile } from './seed-profile.ts';
import type { SettingsStore } from './settings-store.ts';
import type { StoredSettings } from './stored-settings.ts';

/** The name of the profile that is made of the settings, and of its model. */
const SEED = 'default';

type Stored = Pick<SettingsStore, 'agentProfiles' | 'llmProfiles' | 'settings'>;

/**
 * Makes the settings name an agent profile that exists, as OpenHands' server does: without one it is `default`, which is made of the settings
 * if it does not exist. Resolves with the settings. Rejects `StoredObjectError`.
 */
export async function withActiveAgentProfile(store: Stored): Promise<StoredSettings> {
  const { agentProfiles, settings } = store;
  const kept = await settings.get();
  const { active_agent_profile_id: active } = kept;
  if (active !== null && (await agentProfiles.byId(active))) return kept;
  const { id } = (await agentProfiles.get(SEED)) ?? (await seed(store, kept));
  return settings.patch({ active_agent_profile_id: id });
}

async function seed({ agentProfiles, llmProfiles }: Stored, kept: StoredSettings): Promise<StoredAgentProfile> {
  const { agent_settings: agent, active_profile: active } = kept;
  const { llm } = agent;
  if (!active && readAgentSettings(agent).agent_kind !== 'acp' && isJsonObject(llm)) {
    const { base_url: url } = readLlm(llm);
    // the default model of settings is no model
    if (hasKey(llm) || (typeof url === 'string' && url.trim() !== ''))
      await llmProfiles.change(SEED, (stored) => (stored ? undefined : llm));
  }
  // another request may have made it meanwhile
  return agentProfiles.make(SEED, seedProfile(agent, active || SEED));
}
