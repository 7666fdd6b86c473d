import type { Cipher, JsonObject } from '@conv/core';
import type { SettingsResponse } from '@conv/openhands/rest';

import { atRest, withAsterisks, type SecretNames } from '../http/secret-texts.ts';
import { DEFAULT_AGENT_SETTINGS, DEFAULT_CONVERSATION_SETTINGS } from './default-settings.ts';

/** Agent settings that a schema describes. Of the members of `verification` it describes none. */
const { verification: _, ...DESCRIBED_AGENT_SETTINGS } = DEFAULT_AGENT_SETTINGS;

type Settings = Pick<SettingsResponse, 'agent_settings' | 'conversation_settings'>;

type ConvertPart = (part: JsonObject, names: SecretNames) => JsonObject;

/** Returns settings with secrets in their stored form. In settings that no schema describes, each name that tells of a secret has one. */
export function settingsAtRest<T extends Settings>(settings: T, cipher: Cipher | undefined): T {
  return converted(settings, (part, names) => atRest(part, cipher, names));
}

/** Returns settings as clients see them, with asterisks for the secrets that {@link settingsAtRest} encrypts. */
export function shownSettings<T extends Settings>(settings: T): T {
  return converted(settings, withAsterisks);
}

/** As {@link shownSettings}, for the settings of an agent. */
export function shownAgentSettings(settings: JsonObject): JsonObject {
  return convertedPart(settings, DESCRIBED_AGENT_SETTINGS, withAsterisks);
}

function converted<T extends Settings>(settings: T, convert: ConvertPart): T {
  const { agent_settings: agent, conversation_settings: conversation, ...rest } = settings;
  return {
    ...convert(rest as unknown as JsonObject, 'telling'),
    agent_settings: convertedPart(agent, DESCRIBED_AGENT_SETTINGS, convert),
    conversation_settings: convertedPart(conversation, DEFAULT_CONVERSATION_SETTINGS, convert),
  } as unknown as T;
}

function convertedPart(part: JsonObject, described: JsonObject, convert: ConvertPart): JsonObject {
  const members = (isDescribed: boolean): JsonObject =>
    Object.fromEntries(Object.entries(part).filter(([name]) => Object.hasOwn(described, name) === isDescribed));
  return { ...convert(members(true), 'known'), ...convert(members(false), 'telling') };
}
