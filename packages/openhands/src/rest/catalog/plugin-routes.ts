import { defineRoute } from '../define-route.ts';
import { request } from '../../schema/index.ts';
import { installedName } from './skill-routes.ts';
import {
  uninstallSkillResponseSchema,
  updateSkillStateRequestSchema,
  updateSkillStateResponseSchema,
} from './skills.ts';
import {
  fetchPluginRequestSchema,
  fetchPluginResponseSchema,
  installedPluginResponseSchema,
  installedPluginsListResponseSchema,
  installPluginRequestSchema,
  pluginCatalogSchema,
  pluginsRequestSchema,
  pluginsResponseSchema,
  updatePluginResponseSchema,
} from './plugins.ts';

const tag = 'Plugins';
const installedParams = request({ plugin_name: installedName });
const missing = { 404: 'There is no such plugin.' };

/** Routes of plugins. */
export const pluginRoutes = {
  /** Lists the plugins that a conversation would have. */
  list: defineRoute(tag, 'POST /api/plugins', 'get_plugins', 'List plugins', {
    scope: 'read',
    allConversations: true,
    body: pluginsRequestSchema,
    answer: pluginsResponseSchema,
  }),

  install: defineRoute(tag, 'POST /api/plugins/install', 'install_plugin', 'Install a plugin', {
    scope: 'admin',
    body: installPluginRequestSchema,
    answer: installedPluginResponseSchema,
    errors: { 400: 'It cannot be fetched.', 409: 'It is installed.', 422: 'It is no plugin, or too large.' },
  }),

  /** Reads a plugin without installing it. Of OpenHands' 1.55. */
  fetch: defineRoute(tag, 'POST /api/plugins/fetch', 'fetch_plugin', 'Fetch a plugin without installing it', {
    scope: 'admin',
    body: fetchPluginRequestSchema,
    answer: fetchPluginResponseSchema,
    errors: { 422: 'The source, the ref, the path or the plugin is not valid.', 502: 'The source cannot be reached.' },
  }),

  listInstalled: defineRoute(tag, 'GET /api/plugins/installed', 'list_installed_plugins', 'List installed plugins', {
    scope: 'read',
    answer: installedPluginsListResponseSchema,
  }),

  getInstalled: defineRoute(
    tag,
    'GET /api/plugins/installed/{plugin_name}',
    'get_installed_plugin',
    'Get an installed plugin',
    { scope: 'read', params: installedParams, answer: installedPluginResponseSchema, errors: missing },
  ),

  updateInstalled: defineRoute(
    tag,
    'PATCH /api/plugins/installed/{plugin_name}',
    'update_plugin_state',
    'Switch an installed plugin on or off',
    {
      scope: 'admin',
      params: installedParams,
      body: updateSkillStateRequestSchema,
      answer: updateSkillStateResponseSchema,
      errors: missing,
    },
  ),

  removeInstalled: defineRoute(
    tag,
    'DELETE /api/plugins/installed/{plugin_name}',
    'uninstall_plugin',
    'Remove an installed plugin',
    { scope: 'admin', params: installedParams, answer: uninstallSkillResponseSchema, errors: missing },
  ),

  refreshInstalled: defineRoute(
    tag,
    'POST /api/plugins/installed/{plugin_name}/refresh',
    'refresh_plugin',
    'Fetch an installed plugin again',
    {
      scope: 'admin',
      params: installedParams,
      answer: updatePluginResponseSchema,
      errors: { ...missing, 400: 'It cannot be fetched.' },
    },
  ),

  listMarketplace: defineRoute(
    tag,
    'GET /api/plugins/marketplace',
    'get_plugin_marketplace',
    'List plugins that could be installed',
    { scope: 'read', answer: pluginCatalogSchema },
  ),
};
