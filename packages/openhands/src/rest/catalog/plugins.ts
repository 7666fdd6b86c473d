import { z } from 'zod';
import { named } from '../../schema/named.ts';
import { answer, orNull, request } from '../../schema/objects.ts';
import { boolean, jsonObject } from '../../schema/scalars.ts';

/** A skill of a plugin. */
const pluginSkillSummarySchema = named(
  'PluginSkillSummary',
  answer({ name: z.string(), description: orNull(z.string()) }),
);

/** Which plugins to look for. */
export const pluginsRequestSchema = named(
  'PluginsRequest',
  request({
    load_user: boolean().default(true),
    load_project: boolean().default(true),
    project_dir: orNull(z.string()),
  }),
);

/** A plugin that a conversation can have. */
const pluginInfoSchema = named(
  'PluginInfo',
  answer({
    name: z.string(),
    version: z.string().default(''),
    description: z.string().default(''),
    path: z.string().default(''),
    skills: z.array(pluginSkillSummarySchema).default([]),
    files: z.array(z.string()).default([]),
  }),
);

/** All plugins. */
export const pluginsResponseSchema = named(
  'PluginsResponse',
  answer({
    plugins: z.array(pluginInfoSchema),
  }),
);

/** A plugin to install, by where it comes from. */
export const installPluginRequestSchema = named(
  'InstallPluginRequest',
  request({
    source: z.string().min(1),
    ref: orNull(z.string()),
    repo_path: orNull(z.string()),
    force: boolean().default(false),
  }),
);

/** An installed plugin. */
export const installedPluginResponseSchema = named(
  'InstalledPluginResponse',
  answer({
    name: z.string(),
    version: z.string().default(''),
    description: z.string().default(''),
    enabled: boolean().default(true),
    source: z.string(),
    resolved_ref: orNull(z.string()),
    repo_path: orNull(z.string()),
    installed_at: z.string(),
    install_path: z.string(),
    skills: orNull(z.array(pluginSkillSummarySchema)),
    files: orNull(z.array(z.string())),
  }),
);

/** All installed plugins. */
export const installedPluginsListResponseSchema = named(
  'InstalledPluginsListResponse',
  answer({
    plugins: z.array(installedPluginResponseSchema),
  }),
);

/** Plugins that could be installed; their members are the marketplace's. */
export const pluginCatalogSchema = named('PluginCatalog', answer({ plugins: z.array(jsonObject) }));
