import { AgentError } from '../base/agent-error.ts';
import { readFrontMatter } from './front-matter.ts';
import { firstProblem, frontMatterSchema } from './skill-schema.ts';
import type { Skill, SkillTrigger } from './skill.ts';

/** What a file is read as. */
export interface SkillFile {
  readonly path: string;
  /** The skill's name when the file does not say one. */
  readonly name: string;
  /** A `SKILL.md`: the model is told of it and decides. */
  readonly listed: boolean;
}

/** The skill in the text of a file. Rejects {@link AgentError} `INVALID_SKILL` that names the file and the field. */
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
 * What is said of files alone calls for a skill that has such, whatever else its front matter says. What takes inputs is a task,
 * which is also called for by its name as a command.
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
