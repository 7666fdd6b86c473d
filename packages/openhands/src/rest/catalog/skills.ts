import { z } from 'zod';
import { marketplaceRegistrationSchema } from '../../descriptions/agent-context.ts';
import { absent, boolean, integer, jsonObject, kept, keptAs, orNull, requestAs } from '../../schema/index.ts';

/** Members of a skill that an agent can have. */
const skillInfo = {
  name: z.string(),
  type: z.enum(['repo', 'knowledge', 'agentskills']),
  content: z.string(),
  triggers: z.array(z.string()).default([]),
  source: orNull(z.string()),
  description: orNull(z.string()),
  is_agentskills_format: boolean().default(false),
  disable_model_invocation: boolean().default(false),
};

const skillInfoSchema = keptAs('SkillInfo', skillInfo);

const orgConfigSchema = keptAs('OrgConfig', {
  repository: z.string(),
  provider: z.string(),
  org_repo_url: z.string(),
  org_name: z.string(),
});

export const skillsRequestSchema = requestAs('SkillsRequest', {
  load_public: boolean().default(true),
  load_user: boolean().default(true),
  load_project: boolean().default(true),
  load_org: boolean().default(true),
  project_dir: orNull(z.string()),
  org_config: orNull(orgConfigSchema),
  sandbox_config: orNull(kept({ exposed_urls: absent(z.array(jsonObject)) })),
  /** Of OpenHands' 1.45; before it was one `org_config`. */
  org_configs: absent(z.nullable(z.array(orgConfigSchema))),
  marketplace_path: absent(z.nullable(z.string())),
  registered_marketplaces: absent(z.array(marketplaceRegistrationSchema)),
});

/** Which skills to look for. */
export type SkillsRequest = z.output<typeof skillsRequestSchema>;

export const skillsResponseSchema = keptAs('SkillsResponse', {
  skills: z.array(skillInfoSchema),
  sources: z.record(z.string(), integer()).default({}),
});

/** The skills that an agent of a profile can load: `public` ones, and those of the user. */
export const profileSkillsSchema = keptAs('SkillCatalogResponse', {
  skills: z.array(keptAs('SkillCatalogEntry', { ...skillInfo, origin: z.enum(['public', 'user']) })),
});

/** Skills, and how many came from where. */
export type SkillsResponse = z.output<typeof skillsResponseSchema>;

/** Result of fetching the public skills. */
export const syncResponseSchema = keptAs('SyncResponse', {
  status: z.enum(['success', 'error']),
  message: z.string(),
});

/** Members of a skill or plugin to install, by where it comes from. */
export const installRequest = {
  source: z.string().min(1),
  ref: orNull(z.string()),
  repo_path: orNull(z.string()),
  force: boolean().default(false),
};

/** Members of an installed skill or plugin. */
export const installed = {
  name: z.string(),
  version: z.string().default(''),
  description: z.string().default(''),
  enabled: boolean().default(true),
  source: z.string(),
  resolved_ref: orNull(z.string()),
  repo_path: orNull(z.string()),
  installed_at: z.string(),
  install_path: z.string(),
};

/** A skill to install, by where it comes from. */
export const installSkillRequestSchema = requestAs('InstallSkillRequest', installRequest);

export const installedSkillResponseSchema = keptAs('InstalledSkillResponse', installed);

export const installedSkillsListResponseSchema = keptAs('InstalledSkillsListResponse', {
  skills: z.array(installedSkillResponseSchema),
});

/** Turns a skill on or off. */
export const updateSkillStateRequestSchema = requestAs('UpdateSkillStateRequest', { enabled: boolean() });

/** Name of a skill, and true if it is on now. */
export const updateSkillStateResponseSchema = keptAs('UpdateSkillStateResponse', {
  name: z.string(),
  enabled: boolean(),
});

/** The confirmation that a skill was removed. */
export const uninstallSkillResponseSchema = keptAs('UninstallSkillResponse', { message: z.string() });

/** A skill after it was fetched again. */
export const updateSkillResponseSchema = keptAs('UpdateSkillResponse', {
  message: z.string(),
  skill: installedSkillResponseSchema,
});

/** A skill that could be installed. `source` can be given to the installation. */
const marketplaceSkillInfoSchema = keptAs('MarketplaceSkillInfo', {
  name: z.string(),
  description: z.nullable(z.string()),
  source: z.string(),
  installed: boolean(),
});

/** Skills that could be installed. */
export const skillCatalogSchema = keptAs('SkillCatalog', { skills: z.array(marketplaceSkillInfoSchema) });
