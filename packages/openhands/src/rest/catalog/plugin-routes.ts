import type { NoInput, Route } from '../route.ts';
import { defineRoute } from '../define-route.ts';
import { bodyOr } from '../../schema/objects.ts';
import { installedParams, type InstalledParams } from './skill-routes.ts';
import {
  type UninstallSkillResponse,
  uninstallSkillResponseSchema,
  type UpdateSkillStateRequest,
  updateSkillStateRequestSchema,
  type UpdateSkillStateResponse,
  updateSkillStateResponseSchema,
} from './skills.ts';
import {
  type InstalledPluginResponse,
  installedPluginResponseSchema,
  type InstalledPluginsListResponse,
  installedPluginsListResponseSchema,
  type InstallPluginRequest,
  installPluginRequestSchema,
  type PluginCatalog,
  pluginCatalogSchema,
  type PluginsRequest,
  pluginsRequestSchema,
  type PluginsResponse,
  pluginsResponseSchema,
} from './plugins.ts';

const tag = 'Plugins';
const missing = { 404: 'There is no such plugin.' };

/** Lists the plugins that a conversation would have. */
export const listPlugins: Route<{ body: PluginsRequest }, PluginsResponse> = defineRoute(
  tag,
  'POST /api/plugins',
  'get_plugins',
  'List plugins',
  { body: bodyOr({}, pluginsRequestSchema), answer: pluginsResponseSchema },
);

/** Installs a plugin. */
export const installPlugin: Route<{ body: InstallPluginRequest }, InstalledPluginResponse> = defineRoute(
  tag,
  'POST /api/plugins/install',
  'install_plugin',
  'Install a plugin',
  {
    body: installPluginRequestSchema,
    success: 201,
    answer: installedPluginResponseSchema,
    errors: { 400: 'It cannot be installed.', 409: 'It is installed.' },
  },
);

/** Lists installed plugins. */
export const listInstalledPlugins: Route<NoInput, InstalledPluginsListResponse> = defineRoute(
  tag,
  'GET /api/plugins/installed',
  'list_installed_plugins',
  'List installed plugins',
  { answer: installedPluginsListResponseSchema },
);

/** Gets an installed plugin. */
export const getInstalledPlugin: Route<{ params: InstalledParams }, InstalledPluginResponse> = defineRoute(
  tag,
  'GET /api/plugins/installed/{name}',
  'get_installed_plugin',
  'Get an installed plugin',
  { params: installedParams, answer: installedPluginResponseSchema, errors: missing },
);

/** Switches an installed plugin on or off. */
export const updateInstalledPlugin: Route<
  { params: InstalledParams; body: UpdateSkillStateRequest },
  UpdateSkillStateResponse
> = defineRoute(
  tag,
  'PATCH /api/plugins/installed/{name}',
  'update_plugin_state',
  'Switch an installed plugin on or off',
  {
    params: installedParams,
    body: updateSkillStateRequestSchema,
    answer: updateSkillStateResponseSchema,
    errors: missing,
  },
);

/** Removes an installed plugin. */
export const removeInstalledPlugin: Route<{ params: InstalledParams }, UninstallSkillResponse> = defineRoute(
  tag,
  'DELETE /api/plugins/installed/{name}',
  'uninstall_plugin',
  'Remove an installed plugin',
  { params: installedParams, answer: uninstallSkillResponseSchema, errors: missing },
);

/** Lists plugins that could be installed. */
export const listPluginMarketplace: Route<NoInput, PluginCatalog> = defineRoute(
  tag,
  'GET /api/plugins/marketplace',
  'get_plugin_marketplace',
  'List plugins that could be installed',
  { answer: pluginCatalogSchema },
);
