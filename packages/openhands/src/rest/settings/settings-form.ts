import { z } from 'zod';
import type { Json } from '@conv/core/events';
import { named } from '../../schema/named.ts';
import { answer, orNull } from '../../schema/objects.ts';
import { boolean, jsonValue } from '../../schema/scalars.ts';

/** Importance of a setting. */
export type SettingProminence = 'critical' | 'major' | 'minor';

/** A value to choose. */
export interface SettingChoice {
  readonly value: Json;
  readonly label: string;
}

/** A setting, for a form. */
export interface SettingField {
  readonly key: string;
  readonly label: string;
  readonly description: string | null;
  readonly section: string;
  readonly section_label: string;
  readonly value_type: 'string' | 'integer' | 'number' | 'boolean' | 'array' | 'object';
  readonly default: Json;
  readonly prominence: SettingProminence;
  /** Keys of settings that must be on for this one to matter. */
  readonly depends_on: readonly string[];
  readonly secret: boolean;
  readonly choices: readonly SettingChoice[];
  readonly variant: string | null;
}

/** Settings that belong together. */
export interface SettingsSection {
  readonly key: string;
  readonly label: string;
  readonly fields: readonly SettingField[];
  readonly variant: string | null;
}

/** A form for settings. */
export interface SettingsForm {
  readonly model_name: string;
  readonly sections: readonly SettingsSection[];
}

const settingFieldSchema: z.ZodType<SettingField> = named(
  'SettingsFieldSchema',
  answer({
    key: z.string(),
    label: z.string(),
    description: orNull(z.string()),
    section: z.string(),
    section_label: z.string(),
    value_type: z.enum(['string', 'integer', 'number', 'boolean', 'array', 'object']),
    default: jsonValue.default(null),
    prominence: z.enum(['critical', 'major', 'minor']).default('minor'),
    depends_on: z.array(z.string()).default([]),
    secret: boolean().default(false),
    choices: z.array(answer({ value: jsonValue, label: z.string() })).default([]),
    variant: orNull(z.string()),
  }),
);

const settingsSectionSchema: z.ZodType<SettingsSection> = named(
  'SettingsSectionSchema',
  answer({ key: z.string(), label: z.string(), fields: z.array(settingFieldSchema), variant: orNull(z.string()) }),
);

/** The schema of {@link SettingsForm}. */
export const settingsFormSchema: z.ZodType<SettingsForm> = named(
  'SettingsSchema',
  answer({ model_name: z.string(), sections: z.array(settingsSectionSchema) }),
);
