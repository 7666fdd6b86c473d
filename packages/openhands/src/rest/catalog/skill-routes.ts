import { z } from 'zod';
import { defineRoute } from '../define-route.ts';
import { request } from '../../schema/index.ts';
import {
  installedSkillResponseSchema,
  installedSkillsListResponseSchema,
  installSkillRequestSchema,
  profileSkillsSchema,
  skillCatalogSchema,
  skillsRequestSchema,
  skillsResponseSchema,
  syncResponseSchema,
  uninstallSkillResponseSchema,
  updateSkillResponseSchema,
  updateSkillStateRequestSchema,
  updateSkillStateResponseSchema,
} from './skills.ts';

const tag = 'Skills';

/** The name of an installed skill or plugin in a path: it leads to no other folder. */
export const installedName: z.ZodType<string> = z
  .string()
  .min(1)
  .max(255)
  .regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/);
const installedParams = request({ skill_name: installedName });
const missing = { 404: 'There is no such skill.' };

/** Routes of skills. */
export const skillRoutes = {
  /** Lists the skills that an agent would have. */
  list: defineRoute(tag, 'POST /api/skills', 'get_skills', 'List skills', {
    scope: 'read',
    allConversations: true,
    body: skillsRequestSchema,
    answer: skillsResponseSchema,
  }),

  /** Lists the skills that an agent of a profile can load. Of OpenHands' 1.57. */
  listOfProfiles: defineRoute(tag, 'GET /api/skills/catalog', 'get_skill_catalog', 'List skills of profiles', {
    scope: 'read',
    allConversations: true,
    answer: profileSkillsSchema,
  }),

  sync: defineRoute(tag, 'POST /api/skills/sync', 'sync_skills', 'Fetch public skills again', {
    scope: 'admin',
    answer: syncResponseSchema,
  }),

  install: defineRoute(tag, 'POST /api/skills/install', 'install_skill', 'Install a skill', {
    scope: 'admin',
    body: installSkillRequestSchema,
    answer: installedSkillResponseSchema,
    errors: { 400: 'It cannot be fetched.', 409: 'It is installed.', 422: 'It is no skill, or too large.' },
  }),

  listInstalled: defineRoute(tag, 'GET /api/skills/installed', 'list_installed_skills', 'List installed skills', {
    scope: 'read',
    answer: installedSkillsListResponseSchema,
  }),

  getInstalled: defineRoute(
    tag,
    'GET /api/skills/installed/{skill_name}',
    'get_installed_skill',
    'Get an installed skill',
    {
      scope: 'read',
      params: installedParams,
      answer: installedSkillResponseSchema,
      errors: missing,
    },
  ),

  updateInstalled: defineRoute(
    tag,
    'PATCH /api/skills/installed/{skill_name}',
    'update_skill_state',
    'Switch an installed skill on or off',
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
    'DELETE /api/skills/installed/{skill_name}',
    'uninstall_skill',
    'Remove an installed skill',
    { scope: 'admin', params: installedParams, answer: uninstallSkillResponseSchema, errors: missing },
  ),

  refreshInstalled: defineRoute(
    tag,
    'POST /api/skills/installed/{skill_name}/refresh',
    'refresh_skill',
    'Fetch an installed skill again',
    {
      scope: 'admin',
      params: installedParams,
      answer: updateSkillResponseSchema,
      errors: { ...missing, 400: 'It cannot be fetched.' },
    },
  ),

  listMarketplace: defineRoute(
    tag,
    'GET /api/skills/marketplace',
    'get_skill_marketplace',
    'List skills that could be installed',
    { scope: 'read', answer: skillCatalogSchema },
  ),
};
