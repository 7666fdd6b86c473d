import { AgentError } from '../base/agent-error.ts';
import { readFrontMatter } from './front-matter.ts';
import { firstProblem, frontMatterSchema } from './skill-schema.ts';
import type { Skill, SkillTrigger } from './skill.ts';

/** Options that decide how a file is read. */
export interface SkillFile {
  readonly path: string;
  /** The skill's name if the file does not give one. */
  readonly name: string;
  /** True for a `SKILL.md`: the model is told of the skill and decides whether to read it. */
  readonly listed: boolean;
}

/**
 * Parses the skill in the text of a file. Rejects {@link AgentError} `INVALID_SKILL` that names the file and the field.
 */
export async function parseSkill(text: string, { path, name, listed }: SkillFile): Promise<Skill> {
  const { data, content } = await readFrontMatter(text, path);
  const read = frontMatterSchema.safeParse(data);
  if (!read.success) {
    throw new AgentError('INVALID_SKILL', `skill ${path}: ${firstProblem(read.error)}`, { cause: read.error });
  }
  const { triggers, paths, inputs, description, version, license, name: ownName = name } = read.data;
  if (content === '') throw new AgentError('INVALID_SKILL', `skill ${path}: content: there is no text`);
  if (listed && description === undefined) {
    throw new AgentError('INVALID_SKILL', `skill ${path}: description: a listed skill needs one`);
  }
  const trigger = triggerOf(ownName, triggers, paths, inputs !== undefined);
  return {
    name: ownName,
    content,
    source: path,
    ...(listed ? { listed } : {}),
    ...(trigger === undefined ? {} : { trigger }),
    ...(inputs === undefined ? {} : { inputs }),
    ...(description === undefined ? {} : { description }),
    ...(version === undefined ? {} : { version }),
    ...(license === undefined ? {} : { license }),
  };
}

/**
 * Returns the trigger of a skill. A skill with paths is triggered by files alone, whatever else its front matter says.
 * A skill with inputs is a task, which is also triggered by its name as a command.
 */
function triggerOf(
  name: string,
  triggers: readonly string[] = [],
  paths: readonly string[] | undefined,
  isTask: boolean,
): SkillTrigger | undefined {
  if (paths !== undefined) return { type: 'path', paths };
  if (isTask) return { type: 'task', triggers: [...new Set([...triggers, `/${name}`])] };
  return triggers.length > 0 ? { type: 'keyword', keywords: triggers } : undefined;
}
