import { z } from 'zod';
import { absent } from '../schema/kept-member.ts';
import { named } from '../schema/named.ts';
import { kept } from '../schema/objects.ts';
import { boolean } from '../schema/scalars.ts';
import { type SecretSource, secretSourceSchema } from './secret-source.ts';
import { type SkillDescription, skillDescriptionSchema } from './skill.ts';

/** Where plugins are listed. */
export interface MarketplaceRegistration {
  readonly auto_load?: boolean | readonly string[];
  readonly name: string;
  readonly ref?: string | null;
  readonly repo_path?: string | null;
  readonly source: string;
}

const marketplaceRegistrationSchema: z.ZodType<MarketplaceRegistration> = named(
  'MarketplaceRegistration',
  kept({
    auto_load: absent(z.union([boolean(), z.array(z.string())]), false),
    name: z.string(),
    ref: absent(z.nullable(z.string())),
    repo_path: absent(z.nullable(z.string())),
    source: z.string(),
  }),
);

/** What an agent knows beside its prompt. */
export interface AgentContext {
  readonly current_datetime?: string | null;
  readonly disabled_skills?: readonly string[];
  readonly load_memory?: boolean;
  readonly load_project_skills?: boolean;
  readonly load_public_skills?: boolean;
  readonly load_user_skills?: boolean;
  readonly marketplace_path?: string | null;
  readonly memory_context?: string | null;
  readonly registered_marketplaces?: readonly MarketplaceRegistration[];
  readonly secrets?: Readonly<Record<string, string | SecretSource>> | null;
  readonly skills?: readonly SkillDescription[];
  readonly system_message_suffix?: string | null;
  readonly user_message_suffix?: string | null;
}

/** The schema of {@link AgentContext}. */
export const agentContextSchema: z.ZodType<AgentContext> = named(
  'AgentContext',
  kept({
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
  }),
);
