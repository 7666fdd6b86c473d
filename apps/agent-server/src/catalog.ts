import { loadHooks } from '@conv/hooks';
import type { JsonObject } from '@conv/core';
import type { Catalog, ServerPlugins } from '@conv/server';
import { z } from 'zod';

type SkillsAnswer = Awaited<ReturnType<NonNullable<Catalog['skills']>>>;

/** Models that are known to work with this server's tools. Other models of these providers can be used, too. */
const MODELS: Catalog['models'] = {
  anthropic: ['claude-opus-4-5', 'claude-sonnet-4-5', 'claude-haiku-4-5'],
  openai: ['gpt-5.1', 'gpt-5.1-codex', 'gpt-5-mini'],
  gemini: ['gemini-3-pro-preview', 'gemini-2.5-pro', 'gemini-2.5-flash'],
};

/** The models that this program knows, the skills of a user, of projects and of the marketplace, and the hooks of projects. */
export function catalogOf(plugins: ServerPlugins): Catalog {
  return {
    models: MODELS,
    skills: async ({ load_user: user, load_public: all, load_project: project, project_dir: dir }) => {
      const own = await plugins.skillsFor({ user, public: all });
      const ofProject = project && dir !== null ? await plugins.skillsOfProject(dir) : [];
      const byName = new Map([...own, ...ofProject].map((skill) => [skill['name'], skill]));
      // names of OpenHands: its server counts the skills of users and public ones together
      const sources = {
        sandbox: 0,
        registered_marketplaces: 0,
        sdk_base: own.length,
        org: 0,
        project: ofProject.length,
      };
      return { skills: [...byName.values()].map(toInfo), sources };
    },
    hooks: async (projectDir) => (await loadHooks(projectDir))?.config,
  };
}

const skillSchema = z.object({
  name: z.string(),
  content: z.string(),
  description: z.string().nullish(),
  source: z.string().nullish(),
  is_agentskills_format: z.boolean().default(false),
  trigger: z
    .object({
      type: z.string(),
      keywords: z.array(z.string()).default([]),
      triggers: z.array(z.string()).default([]),
    })
    .nullish(),
});

function toInfo(described: JsonObject): SkillsAnswer['skills'][number] {
  const { name, content, description, source, is_agentskills_format: listed, trigger } = skillSchema.parse(described);
  return {
    name,
    type: listed ? 'agentskills' : trigger ? 'knowledge' : 'repo',
    content,
    triggers: [...(trigger?.keywords ?? []), ...(trigger?.triggers ?? [])],
    source: source ?? null,
    description: description ?? null,
    is_agentskills_format: listed,
    disable_model_invocation: false,
  };
}
