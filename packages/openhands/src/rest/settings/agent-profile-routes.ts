import { z } from 'zod';
import { defineRoute } from '../define-route.ts';
import { bodyOr, orNull, request, requestAs } from '../../schema/index.ts';
import {
  activateAgentProfileResponseSchema,
  agentProfileDetailResponseSchema,
  agentProfileDiagnosticsSchema,
  agentProfileListSchema,
  agentProfileMutationResponseSchema,
  agentProfileRequestSchema,
} from './agent-profiles.ts';
import { profileParams } from './llm-profile-routes.ts';
import { renameProfileRequestSchema } from './llm-profiles.ts';

const tag = 'Agent profiles';
const missing = { 404: 'There is no such agent profile.' };

/** Routes of agents that are stored under names. */
export const agentProfileRoutes = {
  /** Lists the agents that are stored under names; one of them is always called `default`. */
  list: defineRoute(tag, 'GET /api/agent-profiles', 'list_agent_profiles', 'List agent profiles', {
    scope: 'read',
    answer: agentProfileListSchema,
  }),

  get: defineRoute(tag, 'GET /api/agent-profiles/{name}', 'get_agent_profile', 'Get an agent profile', {
    scope: 'read',
    params: profileParams,
    answer: agentProfileDetailResponseSchema,
    errors: missing,
  }),

  /** Stores an agent under a name; the body is the profile. */
  save: defineRoute(tag, 'POST /api/agent-profiles/{name}', 'save_agent_profile', 'Keep an agent profile', {
    scope: 'admin',
    params: profileParams,
    body: agentProfileRequestSchema,
    success: 201,
    answer: agentProfileMutationResponseSchema,
    errors: { 409: 'There are as many profiles as can be stored.' },
  }),

  /** Removes an agent profile; succeeds also if there is none. */
  remove: defineRoute(tag, 'DELETE /api/agent-profiles/{name}', 'delete_agent_profile', 'Remove an agent profile', {
    scope: 'admin',
    params: profileParams,
    answer: agentProfileMutationResponseSchema,
  }),

  rename: defineRoute(
    tag,
    'POST /api/agent-profiles/{name}/rename',
    'rename_agent_profile',
    'Rename an agent profile',
    {
      scope: 'admin',
      params: profileParams,
      body: renameProfileRequestSchema,
      answer: agentProfileMutationResponseSchema,
      errors: { ...missing, 409: 'The name is taken.' },
    },
  ),

  /** Resolves an agent profile: returns its settings with everything that it refers to, and the missing references. */
  materialize: defineRoute(
    tag,
    'POST /api/agent-profiles/{name}/materialize',
    'materialize_agent_profile',
    'Resolve an agent profile',
    {
      scope: 'run',
      params: profileParams,
      body: bodyOr(
        {},
        /** A draft to resolve in place of the stored profile. Of OpenHands' 1.51. */
        requestAs('MaterializeAgentProfileRequest', { profile: orNull(agentProfileRequestSchema) }),
      ),
      bodyOptional: true,
      answer: agentProfileDiagnosticsSchema,
      errors: missing,
    },
  ),

  activate: defineRoute(
    tag,
    'POST /api/agent-profiles/{profile_id}/activate',
    'activate_agent_profile',
    'Use an agent profile from now on',
    {
      scope: 'admin',
      params: request({ profile_id: z.string() }),
      answer: activateAgentProfileResponseSchema,
      errors: missing,
    },
  ),
};
