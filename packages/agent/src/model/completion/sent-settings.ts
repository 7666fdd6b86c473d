import type { Model } from '../model.ts';
import type { CallSettings } from '../model-options.ts';

/** Matches models that reason by themselves, with any prefix before their name. Their chat variants do not reason. */
const REASONS = /(?:^|\/)(?:o[1-9](?:-|$)|gpt-5(?!.*chat)|codex-mini)/;

/** Matches further models that refuse a text at which they are to stop. */
const NO_STOP = /(?:^|\/)(?:grok-4|grok-code|deepseek-r1)|openai\.gpt-/;

/** True if a model takes a text at which it stops, and its description allows one. */
export function takesStop({ name, api, description }: Pick<Model, 'name' | 'api' | 'description'>): boolean {
  const lower = name.toLowerCase();
  const isRefused = api === 'responses' || REASONS.test(lower) || NO_STOP.test(lower);
  return !isRefused && description['disable_stop_word'] !== true;
}

/**
 * Returns the settings that are sent to a model. Models that reason refuse `temperature` and `top_p`, and the provider
 * package does not leave them out behind a base URL. They stay in the description.
 */
export function sentSettings({ name, settings = {} }: Pick<Model, 'name' | 'settings'>): CallSettings {
  if (!REASONS.test(name.toLowerCase())) return settings;
  const { temperature: _, topP: __, ...sent } = settings;
  return sent;
}
