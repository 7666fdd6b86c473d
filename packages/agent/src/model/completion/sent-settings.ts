import type { Model } from '../model.ts';
import type { CallSettings } from '../model-options.ts';

/** Models that reason by themselves, whatever stands in front of their name; their chat variants do not. */
const REASONS = /(?:^|\/)(?:o[1-9](?:-|$)|gpt-5(?!.*chat)|codex-mini)/;

/**
 * Returns the settings that a model is sent. Models that reason refuse `temperature` and `top_p`; behind a base URL nobody else leaves
 * them out. They stay in the description.
 */
export function sentSettings({ name, settings = {} }: Pick<Model, 'name' | 'settings'>): CallSettings {
  if (!REASONS.test(name.toLowerCase())) return settings;
  const { temperature: _, topP: __, ...sent } = settings;
  return sent;
}
