import { REDACTED } from '@conv/core';
import type { FastifyInstance } from 'fastify';
import { settingsRoutes, workspaceListRoutes } from '@conv/openhands/rest';

import { type SettingsServing, servingStored } from './settings-serving.ts';
import type { SettingsStore } from '../settings/settings-store.ts';
import { serveAgentProfiles } from './serve-agent-profiles.ts';
import { serveGitProviders } from './serve-git-providers.ts';
import { serveMetaProfiles } from './serve-meta-profiles.ts';
import { serveProviderConnections } from './serve-provider-connections.ts';
import { serveStoredSettings } from './serve-stored-settings.ts';
import { serveLlmProfiles } from './serve-llm-profiles.ts';
import { ApiError } from '../http/api-error.ts';
import type { ListedWorkspaces } from '../settings/stored-workspaces.ts';

/** Serves all data that clients store beside conversations. */
export function serveSettingsStore(app: FastifyInstance, settingsStore: SettingsStore, serving: SettingsServing): void {
  const { cipher } = serving;
  serveStoredSettings(app, settingsStore, cipher);
  serveStoredSecrets(app, settingsStore);
  serveLlmProfiles(app, settingsStore, serving);
  serveAgentProfiles(app, settingsStore, serving);
  serveMetaProfiles(app, settingsStore);
  serveProviderConnections(app, settingsStore);
  serveGitProviders(app, settingsStore, serving);
  serveStoredWorkspaces(app, settingsStore.workspaces);
}

/** Serves the secrets that clients store. A value is shown only to callers with the right to approve, and never cached. */
function serveStoredSecrets(app: FastifyInstance, { secrets, agentProfiles }: SettingsStore): void {
  const serve = servingStored(app, 'Secrets');
  serve(settingsRoutes.listSecrets, async ({ query: { agent_profile_id: id } }) => {
    const profile = id === null ? undefined : await agentProfiles.byId(id);
    if (id !== null && !profile) throw new ApiError(404, 'Agent profile not found');
    const listed = await secrets.list();
    return { secrets: listed.filter(({ name }) => profile?.secret_refs?.includes(name) ?? true) };
  });
  serve(settingsRoutes.setSecret, ({ body: { name, value, description } }) => {
    if (value.trim() === '' || value === REDACTED)
      throw new ApiError(422, 'Secret value must not be empty or redacted');
    return secrets.set(name, value, description ?? undefined);
  });
  serve(settingsRoutes.getSecret, async ({ params, reply }) => {
    const value = await secrets.value(params.name);
    if (value === undefined) throw new ApiError(404, 'Secret not found');
    void reply.header('cache-control', 'no-store');
    return Buffer.from(value);
  });
  serve(settingsRoutes.removeSecret, async ({ params }) => {
    if (!(await secrets.delete(params.name))) throw new ApiError(404, 'Secret not found');
    return { deleted: true };
  });
}

/** Serves the folders that clients have listed. */
function serveStoredWorkspaces(app: FastifyInstance, workspaces: ListedWorkspaces): void {
  const serve = servingStored(app, 'Workspaces');
  serve(workspaceListRoutes.list, () => workspaces.get());
  serve(workspaceListRoutes.add, ({ body }) => {
    const items = body.workspaces.map(({ parentPath, ...item }) => ({
      ...item,
      ...(parentPath ? { parentPath } : {}),
    }));
    return workspaces.add('workspaces', items);
  });
  serve(workspaceListRoutes.addParents, ({ body }) => workspaces.add('workspaceParents', body.parents));
  serve(workspaceListRoutes.remove, async ({ query }) => {
    if (!(await workspaces.remove('workspaces', query.path))) throw new ApiError(404, 'Workspace not found');
    return { deleted: true };
  });
  serve(workspaceListRoutes.removeParent, async ({ query }) => {
    if (!(await workspaces.remove('workspaceParents', query.path)))
      throw new ApiError(404, 'Workspace parent not found');
    return { deleted: true };
  });
}
