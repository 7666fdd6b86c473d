import type { JsonObject } from '@conv/core';

import { merge } from './merge-settings.ts';

/** The end of the names of members that are merged, such as `misc_settings_diff`. */
const DIFF = /_diff$/;

/** Members of stored settings and of answers that are known here. All others are settings of newer releases. */
const KNOWN: ReadonlySet<string> = new Set([
  'schema_version',
  'agent_settings',
  'conversation_settings',
  'llm_api_key_is_set',
  'active_profile',
  'active_agent_profile_id',
  'active_meta_profile',
  'misc_settings',
]);

/** Returns the settings of newer releases among stored settings. */
export function newerSettings(settings: object): JsonObject {
  return Object.fromEntries(Object.entries(settings).filter(([name]) => !KNOWN.has(name)));
}

/**
 * Returns the settings of newer releases after a change. Members whose names end with `_diff` are merged into the setting without it.
 *
 * @param shown the form in which clients saw the settings before
 */
export function changedNewerSettings(before: object, diff: object, shown: object = before): JsonObject {
  const given = Object.entries(diff).filter(
    ([name, value]) => value !== undefined && !(DIFF.test(name) && value === null),
  );
  const members = given.map(([name, value]) => [name.replace(DIFF, ''), value] as const);
  return merge(newerSettings(before), newerSettings(Object.fromEntries(members)), newerSettings(shown));
}
