import { z } from 'zod';
import { named } from '../../schema/named.ts';
import { answer, orNull, request } from '../../schema/objects.ts';
import { boolean, integer, jsonObject } from '../../schema/scalars.ts';

/** A skill that an agent can have. */
const skillInfoSchema = named(
  'SkillInfo',
  answer({
    name: z.string(),
    type: z.enum(['repo', 'knowledge', 'agentskills']),
    content: z.string(),
    triggers: z.array(z.string()).default([]),
    source: orNull(z.string()),
    description: orNull(z.string()),
    is_agentskills_format: boolean().default(false),
    disable_model_invocation: boolean().default(false),
  }),
);

const orgConfigSchema = named(
  'OrgConfig',
  answer({
    repository: z.string(),
    provider: z.string(),
    org_repo_url: z.string(),
    org_name: z.string(),
  }),
);

/** An organisation's repository of skills. */
export type OrgConfig = z.output<typeof orgConfigSchema>;

/** The schema of {@link SkillsRequest}. */
export const skillsRequestSchema = named(
  'SkillsRequest',
  request({
    load_public: boolean().default(true),
    load_user: boolean().default(true),
    load_project: boolean().default(true),
    load_org: boolean().default(true),
    project_dir: orNull(z.string()),
    org_config: orNull(orgConfigSchema),
    sandbox_config: orNull(jsonObject),
  }),
);

/** Which skills to look for. */
export type SkillsRequest = z.output<typeof skillsRequestSchema>;

/** The schema of {@link SkillsResponse}. */
export const skillsResponseSchema = named(
  'SkillsResponse',
  answer({ skills: z.array(skillInfoSchema), sources: z.record(z.string(), integer()).default({}) }),
);

/** Skills, and how many came from where. */
export type SkillsResponse = z.output<typeof skillsResponseSchema>;

/** Result of fetching the public skills. */
export const syncResponseSchema = named(
  'SyncResponse',
  answer({
    status: z.enum(['success', 'error']),
    message: z.string(),
  }),
);

/** A skill to install, by where it comes from. */
export const installSkillRequestSchema = named(
  'InstallSkillRequest',
  request({
    source: z.string().min(1),
    ref: orNull(z.string()),
    repo_path: orNull(z.string()),
    force: boolean().default(false),
  }),
);

/** An installed skill. */
export const installedSkillResponseSchema = named(
  'InstalledSkillResponse',
  answer({
    name: z.string(),
    version: z.string().default(''),
    description: z.string().default(''),
    enabled: boolean().default(true),
    source: z.string(),
    resolved_ref: orNull(z.string()),
    repo_path: orNull(z.string()),
    installed_at: z.string(),
    install_path: z.string(),
  }),
);

/** All installed skills. */
export const installedSkillsListResponseSchema = named(
  'InstalledSkillsListResponse',
  answer({
    skills: z.array(installedSkillResponseSchema),
  }),
);

/** Turns a skill on or off. */
export const updateSkillStateRequestSchema = named(
  'UpdateSkillStateRequest',
  request({
    enabled: boolean(),
  }),
);

/** Name of a skill, and true if it is on now. */
export const updateSkillStateResponseSchema = named(
  'UpdateSkillStateResponse',
  answer({
    name: z.string(),
    enabled: boolean(),
  }),
);

/** That it was removed. */
export const uninstallSkillResponseSchema = named(
  'UninstallSkillResponse',
  answer({
    message: z.string(),
  }),
);

/** A skill after it was fetched anew. */
export const updateSkillResponseSchema = named(
  'UpdateSkillResponse',
  answer({
    message: z.string(),
    skill: installedSkillResponseSchema,
  }),
);

/** A skill that could be installed. */
const marketplaceSkillInfoSchema = named(
  'MarketplaceSkillInfo',
  answer({
    name: z.string(),
    description: z.nullable(z.string()),
    source: z.string(),
    installed: boolean(),
  }),
);

/** Skills that could be installed. */
export const skillCatalogSchema = named('SkillCatalog', answer({ skills: z.array(marketplaceSkillInfoSchema) }));
