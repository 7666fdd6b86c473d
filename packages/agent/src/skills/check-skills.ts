import { AgentError } from '../base/agent-error.ts';
import type { Skill } from './skill.ts';

/** Bytes that a file with a skill may have. */
export const MAX_SKILL_SIZE: number = 64 * 1024;

/** Bytes that all texts of an agent's skills may have in JSON: together with a message they have to fit into one event. */
const MAX_SKILLS_SIZE = 512 * 1024;

/**
 * Returns the skills of an agent unchanged. Throws {@link AgentError} `DUPLICATE_SKILL`, and `INVALID_OPTION` for more than fits
 * into an event.
 */
export function checkedSkills(skills: readonly Skill[]): readonly Skill[] {
  const texts = skills.map(({ name, content, description = '' }) => [name, description, content]);
  const size = texts.reduce((total, text) => total + Buffer.byteLength(JSON.stringify(text)), 0);
  if (size > MAX_SKILLS_SIZE) {
    throw new AgentError('INVALID_OPTION', `skills: expected at most ${MAX_SKILLS_SIZE} bytes in all, found ${size}`);
  }
  return distinctSkills(skills);
}

/** Returns the skills unchanged. Throws {@link AgentError} `DUPLICATE_SKILL`. */
export function distinctSkills(skills: readonly Skill[]): readonly Skill[] {
  const names = new Set<string>();
  for (const { name } of skills) {
    if (names.has(name))
      throw new AgentError('DUPLICATE_SKILL', `two skills are named ${JSON.stringify(name)}; rename one of them`);
    names.add(name);
  }
  return [...skills];
}
