import { homedir } from 'node:os';
import { join } from 'node:path';

import { loadProjectSkills, loadSkills, type Skill } from '@conv/agent';
import { loadHooks } from '@conv/hooks';
import type { Catalog } from '@conv/server';

type SkillsAnswer = Awaited<ReturnType<NonNullable<Catalog['skills']>>>;

/** Models that are known to work with this server's tools. Other models of these providers can be used, too. */
const MODELS: Catalog['models'] = {
  anthropic: ['claude-opus-4-5', 'claude-sonnet-4-5', 'claude-haiku-4-5'],
  openai: ['gpt-5.1', 'gpt-5.1-codex', 'gpt-5-mini'],
  gemini: ['gemini-3-pro-preview', 'gemini-2.5-pro', 'gemini-2.5-flash'],
};

/** The models that this program knows, and the skills and hooks in the folders of users and projects. */
export const catalog: Catalog = {
  models: MODELS,
  skills: async ({ load_user: user, load_project: project, project_dir: dir }) => {
    const [ofUser, ofProject] = await Promise.all([
      user ? userSkills() : [],
      project && dir !== null ? loadProjectSkills(dir) : [],
    ]);
    const byName = new Map([...ofUser, ...ofProject].map((skill) => [skill.name, skill]));
    const sources = { user: ofUser.length, project: ofProject.length };
    return { skills: [...byName.values()].map(toInfo), sources };
  },
  hooks: async (projectDir) => (await loadHooks(projectDir))?.config,
};

async function userSkills(): Promise<readonly Skill[]> {
  const folder = join(homedir(), '.openhands', 'skills');
  return loadSkills(folder).catch((error: unknown) => {
    if (error instanceof Error && error.message.includes('there is no such folder')) return [];
    throw error;
  });
}

function toInfo({
  name,
  content,
  description,
  trigger,
  listed = false,
  source,
}: Skill): SkillsAnswer['skills'][number] {
  const words = trigger?.type === 'keyword' ? trigger.keywords : trigger?.type === 'task' ? trigger.triggers : [];
  return {
    name,
    type: listed ? 'agentskills' : trigger ? 'knowledge' : 'repo',
    content,
    triggers: [...words],
    source: source ?? null,
    description: description ?? null,
    is_agentskills_format: listed,
    disable_model_invocation: false,
  };
}
