import { z } from 'zod';
import { installed, installRequest } from './skills.ts';
import { boolean, integer, jsonObject, keptAs, orNull, requestAs } from '../../schema/index.ts';
import { secretSourceSchema } from '../../descriptions/secret-source.ts';

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

/** A plugin to read without installing it. Of OpenHands' 1.55. */
export const fetchPluginRequestSchema = requestAs('FetchPluginRequest', {
  source: z.string().min(1),
  ref: orNull(z.string()),
  repo_path: orNull(z.string()),
  /** Values for placeholders such as `${TOKEN}` in source and ref. */
  secrets: z.record(z.string(), secretSourceSchema).default({}),
  /** Seconds that git may take. */
  timeout: integer({ minimum: 1, maximum: 600 }).default(60),
});

/** A plugin that was read: its folder, its manifest as it stands there, and names of its parts. */
export const fetchPluginResponseSchema = keptAs('FetchPluginResponse', {
  path: z.string(),
  resolved_ref: z.nullable(z.string()),
  source: z.string(),
  repo_path: z.nullable(z.string()),
  manifest: jsonObject,
  skills: z.array(z.string()),
  commands: z.array(z.string()),
});

/** A plugin after it was fetched again. */
export const updatePluginResponseSchema = keptAs('UpdatePluginResponse', {
  message: z.string(),
  plugin: installedPluginResponseSchema,
});

/** A plugin that could be installed. Source, ref and path can be given to an installation, and to a conversation. */
const marketplacePluginInfoSchema = keptAs('MarketplacePluginInfo', {
  name: z.string(),
  description: z.nullable(z.string()),
  source: z.string(),
  ref: orNull(z.string()),
  repo_path: orNull(z.string()),
  installed: boolean(),
  path: orNull(z.string()),
  skills: orNull(z.array(pluginSkillSummarySchema)),
  files: orNull(z.array(z.string())),
});

/** Plugins that could be installed. */
export const pluginCatalogSchema = keptAs('PluginCatalog', { plugins: z.array(marketplacePluginInfoSchema) });
