import { z } from 'zod';
import type { NoInput, Route } from '../route.ts';
import { defineRoute } from '../define-route.ts';
import { bodyOr, request } from '../../schema/objects.ts';
import {
  type InstalledSkillResponse,
  installedSkillResponseSchema,
  type InstalledSkillsListResponse,
  installedSkillsListResponseSchema,
  type InstallSkillRequest,
  installSkillRequestSchema,
  type SkillCatalog,
  skillCatalogSchema,
  type SkillsRequest,
  skillsRequestSchema,
  type SkillsResponse,
  skillsResponseSchema,
  type SyncResponse,
  syncResponseSchema,
  type UninstallSkillResponse,
  uninstallSkillResponseSchema,
  type UpdateSkillResponse,
  updateSkillResponseSchema,
  type UpdateSkillStateRequest,
  updateSkillStateRequestSchema,
  type UpdateSkillStateResponse,
  updateSkillStateResponseSchema,
} from './skills.ts';

/** Which installed skill or plugin. */
export interface InstalledParams {
  readonly name: string;
}

const tag = 'Skills';
/** The schema of {@link InstalledParams}. */
export const installedParams: z.ZodType<InstalledParams> = request({ name: z.string().min(1) });
const missing = { 404: 'There is no such skill.' };

/** Lists the skills that an agent would have. */
export const listSkills: Route<{ body: SkillsRequest }, SkillsResponse> = defineRoute(
  tag,
  'POST /api/skills',
  'get_skills',
  'List skills',
  { body: bodyOr({}, skillsRequestSchema), answer: skillsResponseSchema },
);

/** Fetches public skills anew. */
export const syncSkills: Route<NoInput, SyncResponse> = defineRoute(
  tag,
  'POST /api/skills/sync',
  'sync_skills',
  'Fetch public skills anew',
  { answer: syncResponseSchema },
);

/** Installs a skill. */
export const installSkill: Route<{ body: InstallSkillRequest }, InstalledSkillResponse> = defineRoute(
  tag,
  'POST /api/skills/install',
  'install_skill',
  'Install a skill',
  {
    body: installSkillRequestSchema,
    success: 201,
    answer: installedSkillResponseSchema,
    errors: { 400: 'It cannot be installed.', 409: 'It is installed.' },
  },
);

/** Lists installed skills. */
export const listInstalledSkills: Route<NoInput, InstalledSkillsListResponse> = defineRoute(
  tag,
  'GET /api/skills/installed',
  'list_installed_skills',
  'List installed skills',
  { answer: installedSkillsListResponseSchema },
);

/** Gets an installed skill. */
export const getInstalledSkill: Route<{ params: InstalledParams }, InstalledSkillResponse> = defineRoute(
  tag,
  'GET /api/skills/installed/{name}',
  'get_installed_skill',
  'Get an installed skill',
  { params: installedParams, answer: installedSkillResponseSchema, errors: missing },
);

/** Switches an installed skill on or off. */
export const updateInstalledSkill: Route<
  { params: InstalledParams; body: UpdateSkillStateRequest },
  UpdateSkillStateResponse
> = defineRoute(
  tag,
  'PATCH /api/skills/installed/{name}',
  'update_skill_state',
  'Switch an installed skill on or off',
  {
    params: installedParams,
    body: updateSkillStateRequestSchema,
    answer: updateSkillStateResponseSchema,
    errors: missing,
  },
);

/** Removes an installed skill. */
export const removeInstalledSkill: Route<{ params: InstalledParams }, UninstallSkillResponse> = defineRoute(
  tag,
  'DELETE /api/skills/installed/{name}',
  'uninstall_skill',
  'Remove an installed skill',
  { params: installedParams, answer: uninstallSkillResponseSchema, errors: missing },
);

/** Fetches an installed skill anew. */
export const refreshInstalledSkill: Route<{ params: InstalledParams }, UpdateSkillResponse> = defineRoute(
  tag,
  'POST /api/skills/installed/{name}/refresh',
  'refresh_skill',
  'Fetch an installed skill anew',
  { params: installedParams, answer: updateSkillResponseSchema, errors: missing },
);

/** Lists skills that could be installed. */
export const listSkillMarketplace: Route<NoInput, SkillCatalog> = defineRoute(
  tag,
  'GET /api/skills/marketplace',
  'get_skill_marketplace',
  'List skills that could be installed',
  { answer: skillCatalogSchema },
);
