import { systemPlatform } from '@conv/core/platform';
import { gitRoutes } from '@conv/openhands/rest';
import type { FastifyInstance } from 'fastify';

import { servingStored, type SettingsServing } from './settings-serving.ts';
import { ApiError } from '../http/api-error.ts';
import { githubToken, searchGithub } from '../settings/provider-repositories.ts';
import type { SettingsStore } from '../settings/settings-store.ts';

/** Serves the repositories that a stored token reaches. */
export function serveGitProviders(
  app: FastifyInstance,
  { secrets }: SettingsStore,
  { githubApi: address, platform = systemPlatform }: Pick<SettingsServing, 'githubApi' | 'platform'>,
): void {
  servingStored(app, 'Secrets')(gitRoutes.searchRepositories, async ({ query: { provider, ...search } }) => {
    if (provider !== 'github')
      throw new ApiError(400, `Repository discovery is not supported for provider '${provider}'`);
    const token = await githubToken((name) => secrets.value(name));
    if (token === undefined) return { items: [], next_page_id: null, missing_token: true };
    return searchGithub(token, search, { address, platform });
  });
}
