import { AgentError, type AgentErrorCode } from '../agent/agent-error.ts';
import type { Skill } from './skill.ts';

/** Bytes that a file with a skill may have. */
export const MAX_SKILL_SIZE: number = 64 * 1024;

/** Bytes that all texts of an agent's skills may have in JSON: together with a message they have to fit into one event. */
const MAX_SKILLS_SIZE = 512 * 1024;

/** The skills of an agent. Throws {@link AgentError} `DUPLICATE_SKILL`, and one with `code` for more than can be stored. */
export function checkedSkills(skills: readonly Skill[], code: AgentErrorCode): readonly Skill[] {
  const names = new Set<string>();
  let size = 0;
  for (const { name, content, description = '' } of skills) {
    if (names.has(name)) throw new AgentError('DUPLICATE_SKILL', `two skills are called ${JSON.stringify(name)}`);
    names.add(name);
    size += Buffer.byteLength(JSON.stringify([name, description, content]));
  }
  if (size <= MAX_SKILLS_SIZE) return [...skills];
  throw new AgentError(code, `skills: all of them have ${size} bytes, more than the ${MAX_SKILLS_SIZE} that can be`);
}
