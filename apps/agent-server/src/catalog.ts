import { type AgentDefinition, describeAgentDefinition, loadProjectAgentDefinitions } from '@conv/agent';
import { loadHooks } from '@conv/hooks';
import type { JsonObject } from '@conv/core';
import type { Catalog, ServerPlugins } from '@conv/server';
import { z } from 'zod';

import { builtInSubAgents } from './built-in-sub-agents.ts';

type SkillsAnswer = Awaited<ReturnType<NonNullable<Catalog['skills']>>>;
type SubAgentsAnswer = Awaited<ReturnType<NonNullable<Catalog['subAgents']>>>;

/** The members of a sub-agent that has none of them. */
const NO_SUB_AGENT = {
  color: null,
  when_to_use_examples: [],
  permission_mode: null,
  max_iteration_per_run: null,
  max_budget_per_run: null,
  mcp_config: null,
  profile_store_dir: null,
  hooks: null,
  condenser: null,
  metadata: {},
  level: null,
  source: null,
};

/** Models that are known to work with this server's tools. Other models of these providers can be used, too. */
const MODELS: Catalog['models'] = {
  anthropic: ['claude-opus-4-5', 'claude-sonnet-4-5', 'claude-haiku-4-5'],
  openai: ['gpt-5.1', 'gpt-5.1-codex', 'gpt-5-mini'],
  gemini: ['gemini-3-pro-preview', 'gemini-2.5-pro', 'gemini-2.5-flash'],
};

/** The models that this program knows, the skills of a user, of projects and of the marketplace, and the sub-agents and hooks of projects. */
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
    subAgents: async ({ load_user: user, load_project: project, load_builtin: builtIn, project_dir: dir }) => {
      const found = await loadProjectAgentDefinitions(project ? dir : null, {
        ...(user ? {} : { home: null }),
        // as on OpenHands' server, a file that cannot be used hides no other
        leaveOut: () => {},
      });
      const byName = new Map<string, AgentDefinition>();
      for (const one of [...found, ...(builtIn ? builtInSubAgents : [])])
        if (!byName.has(one.name)) byName.set(one.name, one);
      return { agents: [...byName.values()].map(toSubAgent) };
    },
    hooks: async (projectDir) => (await loadHooks(projectDir))?.config,
  };
}

function toSubAgent(definition: AgentDefinition): SubAgentsAnswer['agents'][number] {
  const described = describeAgentDefinition(definition);
  const servers = described['mcp_config'] ?? null;
  return {
    ...NO_SUB_AGENT,
    ...described,
    mcp_servers: servers,
    is_builtin: definition.level === 'builtin',
  } as unknown as SubAgentsAnswer['agents'][number];
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
