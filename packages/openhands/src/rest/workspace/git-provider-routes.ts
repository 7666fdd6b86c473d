import { z } from 'zod';
import { boolean, integer, keptAs, named, orNull, request } from '../../schema/index.ts';
import { defineRoute } from '../define-route.ts';

/** A repository at a provider. */
const repositorySchema = keptAs('GitProviderRepository', {
  id: z.string(),
  full_name: z.string(),
  git_provider: z.string(),
  is_public: boolean(),
  stargazers_count: orNull(integer()),
  pushed_at: orNull(z.string()),
  main_branch: orNull(z.string()),
});

const pageSchema = keptAs('GitProviderRepositoryPage', {
  items: z.array(repositorySchema),
  next_page_id: orNull(z.string()),
  /** True if the server has no token for the provider, and so did not ask it. */
  missing_token: boolean().default(false),
});

/** Lists the repositories at a provider that a stored token reaches. Of OpenHands' 1.50. */
export const searchRepositories = defineRoute(
  'Git',
  'GET /api/git/repositories/search',
  'git_repositories_search',
  'Search repositories',
  {
    scope: 'admin',
    query: request({
      provider: named('GitProvider', z.enum(['github', 'gitlab', 'bitbucket', 'azure_devops'])),
      query: orNull(z.string()),
      limit: integer({ minimum: 1, maximum: 100 }).default(100),
      page_id: orNull(z.string()),
    }),
    answer: pageSchema,
    errors: {
      400: 'The provider is not supported, refused the request, or there is no such page.',
      401: 'The provider refused the token.',
      403: 'The provider allows the token no such request.',
      502: 'The provider failed.',
      504: 'The provider did not answer in time.',
    },
  },
);
