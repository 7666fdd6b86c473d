import { z } from 'zod';
import { boolean, jsonValue, kept, keptAs, orNull } from '../../schema/index.ts';

const settingFieldSchema = keptAs('SettingsFieldSchema', {
  key: z.string(),
  label: z.string(),
  description: orNull(z.string()),
  section: z.string(),
  section_label: z.string(),
  value_type: z.enum(['string', 'integer', 'number', 'boolean', 'array', 'object']),
  default: jsonValue.default(null),
  prominence: z.enum(['critical', 'major', 'minor']).default('minor'),
  /** Keys of settings that must be on for this one to matter. */
  depends_on: z.array(z.string()).default([]),
  secret: boolean().default(false),
  choices: z.array(kept({ value: jsonValue, label: z.string() })).default([]),
  variant: orNull(z.string()),
});

const settingsSectionSchema = keptAs('SettingsSectionSchema', {
  key: z.string(),
  label: z.string(),
  fields: z.array(settingFieldSchema),
  variant: orNull(z.string()),
});

export const settingsFormSchema = keptAs('SettingsSchema', {
  model_name: z.string(),
  sections: z.array(settingsSectionSchema),
});
