import { defineRoute } from '../define-route.ts';
import { request } from '../../schema/index.ts';
import {
  activateProfileResponseSchema,
  llmProfileDetailSchema,
  llmProfileListSchema,
  profileMutationResponseSchema,
  profileNameSchema,
  renameProfileRequestSchema,
  saveProfileRequestSchema,
  validateProfileRequestSchema,
  validateProfileResponseSchema,
} from './llm-profiles.ts';

const tag = 'Profiles';
export const profileParams = request({ name: profileNameSchema });
const missing = { 404: 'There is no such profile.' };

/** Routes of models that are stored under names. */
export const llmProfileRoutes = {
  list: defineRoute(tag, 'GET /api/profiles', 'list_profiles', 'List profiles of models', {
    scope: 'read',
    answer: llmProfileListSchema,
  }),

  get: defineRoute(tag, 'GET /api/profiles/{name}', 'get_profile', 'Get a profile of a model', {
    scope: 'read',
    params: profileParams,
    answer: llmProfileDetailSchema,
    exposeSecrets: true,
    errors: {
      400: 'The header `X-Expose-Secrets` has an unknown value.',
      ...missing,
      503: 'The server has no key to encrypt with.',
    },
  }),

  /** Stores a model under a name, and replaces a profile of this name. */
  save: defineRoute(tag, 'POST /api/profiles/{name}', 'save_profile', 'Keep a profile of a model', {
    scope: 'admin',
    params: profileParams,
    body: saveProfileRequestSchema,
    success: 201,
    answer: profileMutationResponseSchema,
    errors: { 409: 'There are as many profiles as can be stored.' },
  }),

  /** Removes a profile; succeeds also if there is none. */
  remove: defineRoute(tag, 'DELETE /api/profiles/{name}', 'delete_profile', 'Remove a profile of a model', {
    scope: 'admin',
    params: profileParams,
    answer: profileMutationResponseSchema,
    errors: { 409: 'Agent profiles name it.' },
  }),

  rename: defineRoute(tag, 'POST /api/profiles/{name}/rename', 'rename_profile', 'Rename a profile of a model', {
    scope: 'admin',
    params: profileParams,
    body: renameProfileRequestSchema,
    answer: profileMutationResponseSchema,
    errors: { ...missing, 409: 'The name is taken.' },
  }),

  /** Checks a model before it is stored, by asking it a short question. */
  validate: defineRoute(tag, 'POST /api/profiles/{name}/validate', 'validate_profile', 'Check a profile of a model', {
    scope: 'run',
    params: profileParams,
    body: validateProfileRequestSchema,
    answer: validateProfileResponseSchema,
  }),

  activate: defineRoute(
    tag,
    'POST /api/profiles/{name}/activate',
    'activate_profile',
    'Use a profile of a model from now on',
    { scope: 'admin', params: profileParams, answer: activateProfileResponseSchema, errors: missing },
  ),
};
