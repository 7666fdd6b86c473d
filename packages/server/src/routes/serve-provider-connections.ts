import { isJsonObject } from '@conv/core/platform';
import { readLlm } from '@conv/openhands/descriptions';
import { modelStoreRoutes } from '@conv/openhands/rest';
import type { FastifyInstance } from 'fastify';

import { badUrlIn } from '../conversations/refuse-bad-urls.ts';
import { servingStored } from './settings-serving.ts';
import { ApiError, invalidMember } from '../http/api-error.ts';
import { MAX_CONNECTIONS, type ProviderConnectionInfo } from '../settings/provider-connections.ts';
import type { SettingsStore } from '../settings/settings-store.ts';

/** Serves the keys and addresses of providers of models, which profiles share. */
export function serveProviderConnections(app: FastifyInstance, settingsStore: SettingsStore): void {
  const serve = servingStored(app, 'Provider connections', 400);
  const { connections: routes } = modelStoreRoutes;
  const { providerConnections: connections } = settingsStore;
  const present = (id: string, found: ProviderConnectionInfo | undefined): ProviderConnectionInfo => {
    if (found) return found;
    throw new ApiError(404, `Provider connection '${id}' not found`);
  };
  serve(routes.list, async () => [...(await connections.list())]);
  serve(routes.create, async ({ body }) => {
    refuseBadUrl(body);
    const made = await connections.create(body);
    if (made) return made;
    throw new ApiError(
      409,
      `Provider connection limit reached (${MAX_CONNECTIONS}). Delete one before adding another.`,
    );
  });
  serve(routes.update, async ({ params: { connection_id: id }, body }) => {
    if (Object.keys(body).length === 0)
      throw new ApiError(422, 'Provide at least one provider connection field to update');
    present(id, await connections.get(id));
    refuseBadUrl(body);
    const { api_key: key, ...rest } = body;
    if (key === null) throw new ApiError(422, 'api_key cannot be cleared; provide a new key to rotate it');
    return present(id, await connections.update(id, { ...rest, ...(key === undefined ? {} : { api_key: key }) }));
  });
  serve(routes.remove, async ({ params: { connection_id: id } }) => {
    present(id, await connections.get(id));
    const users = await usersOf(settingsStore, id);
    if (users.length > 0)
      throw new ApiError(
        409,
        `Provider connection cannot be deleted while it is ${users.join(' and ')}. Update those references before deleting it.`,
      );
    return { ...present(id, await connections.delete(id)), api_key_set: false };
  });
}

/** Refuses an address that no request of a model could be sent to, as profiles do. */
function refuseBadUrl({ base_url = null }: { readonly base_url?: string | null }): void {
  const bad = badUrlIn({ base_url });
  if (bad) throw invalidMember(bad.path, bad.text);
}

/** Returns the uses of a connection, in words. */
async function usersOf({ llmProfiles, settings }: SettingsStore, id: string): Promise<readonly string[]> {
  const profiles = (await llmProfiles.all())
    .filter(({ stored }) => readLlm(stored).provider_connection_id === id)
    .map(({ name }) => name);
  const { llm } = (await settings.get()).agent_settings;
  const isActive = isJsonObject(llm) && readLlm(llm).provider_connection_id === id;
  return [
    ...(profiles.length > 0 ? [`referenced by LLM profile(s): ${profiles.join(', ')}`] : []),
    ...(isActive ? ['referenced by the active agent settings'] : []),
  ];
}
