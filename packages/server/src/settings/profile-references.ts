import type { JsonObject } from '@conv/core';
import { readAgentSettings, type StoredAgentProfile } from '@conv/openhands/rest';

import type { UnresolvedReferences } from '../hosting/host-options.ts';
import { serversOf } from './agent-profiles.ts';
import type { LlmProfiles } from './llm-profiles.ts';
import type { MetaProfiles } from './meta-profiles.ts';

interface Stored {
  readonly llmProfiles: Pick<LlmProfiles, 'names'>;
  readonly metaProfiles: Pick<MetaProfiles, 'read'>;
}

/**
 * Resolves with the references of a profile that lead nowhere.
 * @param settings those of agents, which have the MCP servers
 * @param llmProfile the name of a model in the place of its own
 */
export async function unresolvedReferences(
  profile: StoredAgentProfile,
  store: Stored,
  { settings, llmProfile = profile.llm_profile_ref }: { readonly settings: JsonObject; readonly llmProfile?: string },
): Promise<UnresolvedReferences> {
  const models = await store.llmProfiles.names();
  const { missing } = serversOf(profile, readAgentSettings(settings).mcp_config);
  return {
    llmProfile: llmProfile === undefined || models.includes(llmProfile) ? null : llmProfile,
    mcpServers: missing,
    ...(await unresolvedRules(profile, store, models)),
  };
}

async function unresolvedRules(
  { meta_profile_ref: name, enable_classify_and_switch_llm_tool: isEnabled }: StoredAgentProfile,
  { metaProfiles }: Stored,
  models: readonly string[],
): Promise<Pick<UnresolvedReferences, 'metaProfile' | 'metaModels'>> {
  const none = { metaProfile: null, metaModels: [] };
  if (!isEnabled || name === undefined) return none;
  const rules = await metaProfiles.read(name);
  if (!rules) return { ...none, metaProfile: name };
  const named = new Set([rules.classifier_model, ...rules.classes.map(({ model }) => model)]);
  return { ...none, metaModels: [...named].filter((model) => !models.includes(model)) };
}
