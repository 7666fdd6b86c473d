import { z } from 'zod';
import { absent, boolean, described } from '../schema/index.ts';
import { secretSourceSchema } from './secret-source.ts';
import { skillDescriptionSchema } from './skill.ts';

/** Where plugins are listed. */
export const marketplaceRegistrationSchema = described('MarketplaceRegistration', {
  auto_load: absent(z.union([boolean(), z.array(z.string())]), false),
  name: z.string(),
  ref: absent(z.nullable(z.string())),
  repo_path: absent(z.nullable(z.string())),
  source: z.string(),
});

/** Knowledge of an agent beside its prompt. */
export const agentContextSchema = described('AgentContext', {
  current_datetime: absent(z.nullable(z.string())),
  disabled_skills: absent(z.array(z.string())),
  load_memory: absent(boolean(), false),
  load_project_skills: absent(boolean(), false),
  load_public_skills: absent(boolean(), false),
  load_user_skills: absent(boolean(), false),
  marketplace_path: absent(z.nullable(z.string()), 'marketplaces/default.json'),
  memory_context: absent(z.nullable(z.string())),
  registered_marketplaces: absent(z.array(marketplaceRegistrationSchema)),
  secrets: absent(z.nullable(z.record(z.string(), z.union([z.string(), secretSourceSchema])))),
  skills: absent(z.array(skillDescriptionSchema)),
  system_message_suffix: absent(z.nullable(z.string())),
  user_message_suffix: absent(z.nullable(z.string())),
});
