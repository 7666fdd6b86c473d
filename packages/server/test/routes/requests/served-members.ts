import { MemoryStore } from '@conv/core/store';
import { openApiDocument } from '@conv/openhands';
import Fastify from 'fastify';

import { SettingsStore } from '../../../src/settings/settings-store.ts';
import { agentServer } from '../../../src/plugin.ts';
import { testPlugins } from '../../support/test-plugins.ts';
import { testTrials } from '../../support/test-trials.ts';
import { requestMembers, type Members } from './request-members.ts';

/** The members of every request that a server with all its parts serves, and the routes that it does not serve. */
export async function servedMembers(): Promise<Members> {
  const app = Fastify();
  const routes = new Set<string>();
  app.addHook('onRoute', ({ config }) => {
    if (config?.route) routes.add(`${config.route.method} ${config.route.path}`);
  });
  const settingsStore = new SettingsStore('/nowhere', undefined);
  const workspaceHost = { workingDirectory: '/', environment: {} };
  const parts = {
    settingsStore,
    workspaceHost,
    catalog: { models: {} },
    plugins: testPlugins(),
    metrics: { text: async () => '', open: true },
    logins: { finish: async () => ({ ok: false, message: '' }) },
    mcpTrials: testTrials(),
  };
  const agents = { revive: async () => undefined };
  await app.register(agentServer({ store: new MemoryStore(), persistenceDir: '/nowhere', agents, ...parts }));
  await app.ready();
  await app.close();
  return requestMembers(openApiDocument({ title: 'all', version: '0' }), routes);
}
