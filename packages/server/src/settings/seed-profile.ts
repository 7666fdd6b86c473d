import { isDeepStrictEqual } from 'node:util';
import type { Json, JsonObject } from '@conv/core';
import { isJsonObject } from '@conv/core/platform';
import { readAgentSettings } from '@conv/openhands/rest';

import { DEFAULT_AGENT_SETTINGS } from './default-settings.ts';

/** Members of settings that a profile has under the same names. */
const COPIED = ['agent', 'condenser', 'tool_concurrency_limit'];
/** The same, of releases after 1.43.1, whose reader refuses them. They are copied only if they say something. */
const NEWER = ['persona', 'enable_classify_and_switch_llm_tool'];

/**
 * Returns a profile of the agent that the settings describe, as OpenHands' server makes it for clients that have stored none. Its MCP servers are
 * all those of the settings.
 * @param llmProfile the name of its model
 */
export function seedProfile(settings: JsonObject, llmProfile: string): JsonObject {
  const { agent_kind: kind = 'openhands', agent_context: context, active_meta_profile } = readAgentSettings(settings);
  const members = (names: readonly string[]): JsonObject => present(names.map((name) => [name, settings[name]]));
  if (kind !== 'openhands') {
    const own = Object.keys(settings).filter((name) => name.startsWith(`${kind}_`));
    return { agent_kind: kind, ...members(own) };
  }
  const { verification } = settings;
  // a profile has no secrets
  const { critic_api_key: _, ...checks } = isJsonObject(verification) ? verification : {};
  const { disabled_skills, system_message_suffix } = context;
  const { tools } = settings;
  const own = isDeepStrictEqual(tools, DEFAULT_AGENT_SETTINGS['tools']) ? undefined : tools;
  return {
    agent_kind: kind,
    llm_profile_ref: llmProfile,
    ...members(COPIED),
    verification: checks,
    ...present([
      ['tools', own],
      ['disabled_skills', disabled_skills],
      ['system_message_suffix', system_message_suffix],
      ['meta_profile_ref', active_meta_profile],
    ]),
    ...members(NEWER.filter((name) => settings[name] !== false)),
  };
}

function present(members: readonly (readonly [string, Json | undefined])[]): JsonObject {
  return Object.fromEntries(members.filter(([, value]) => value !== undefined && value !== null)) as JsonObject;
}
