import { z } from 'zod';
import { installed, installRequest } from './skills.ts';
import { boolean, jsonObject, keptAs, orNull, requestAs } from '../../schema/index.ts';

const pluginSkillSummarySchema = keptAs('PluginSkillSummary', { name: z.string(), description: orNull(z.string()) });

export const pluginsRequestSchema = requestAs('PluginsRequest', {
  load_user: boolean().default(true),
  load_project: boolean().default(true),
  project_dir: orNull(z.string()),
});

/** A plugin that a conversation can have. */
const pluginInfoSchema = keptAs('PluginInfo', {
  name: z.string(),
  version: z.string().default(''),
  description: z.string().default(''),
  path: z.string().default(''),
  skills: z.array(pluginSkillSummarySchema).default([]),
  files: z.array(z.string()).default([]),
});

export const pluginsResponseSchema = keptAs('PluginsResponse', { plugins: z.array(pluginInfoSchema) });

/** A plugin to install, by where it comes from. */
export const installPluginRequestSchema = requestAs('InstallPluginRequest', installRequest);

export const installedPluginResponseSchema = keptAs('InstalledPluginResponse', {
  ...installed,
  skills: orNull(z.array(pluginSkillSummarySchema)),
  files: orNull(z.array(z.string())),
});

export const installedPluginsListResponseSchema = keptAs('InstalledPluginsListResponse', {
  plugins: z.array(installedPluginResponseSchema),
});

/** Plugins that could be installed; their members are the marketplace's. */
export const pluginCatalogSchema = keptAs('PluginCatalog', { plugins: z.array(jsonObject) });
