import { readFrontMatter } from './front-matter.ts';
import { defined } from '../base/defined.ts';
import { firstProblem } from '../base/first-problem.ts';
import { invalidSkill } from './markdown-folder.ts';
import { z } from 'zod';
import type { Skill, SkillTrigger } from './skill.ts';

// Names stand in tags and lists of the prompt.
const name = z
  .string()
  .min(1)
  .max(128)
  .regex(/^[^\p{Cc}<>]+$/u, 'must be one line without < and >');
const word = z.string().trim().min(1).max(256);
const words = z.array(word).min(1).max(100);
// A list, or one line with commas.
const paths = z.preprocess(
  (value) => (typeof value === 'string' ? value.split(',').filter((path) => path.trim() !== '') : value),
  words,
);
const MAX_DESCRIPTION = 2_000;
const description = z.string().trim().min(1).max(MAX_DESCRIPTION);
/** Of a file that a stranger wrote: a long description is cut, and an empty one is none. */
const anyDescription = z.preprocess(
  (value) => (typeof value === 'string' ? value.trim().slice(0, MAX_DESCRIPTION) || undefined : value),
  z.string().optional(),
);
const inputs = z.array(z.object({ name, description: z.string().max(2_000) })).max(50);

const frontMatterSchema = z.object({
  name: name.optional(),
  description: description.optional(),
  triggers: words.optional(),
  paths: paths.optional(),
  inputs: inputs.optional(),
  version: z.union([z.string(), z.number()]).transform(String).optional(),
  license: z.string().max(500).optional(),
  'disable-model-invocation': z.boolean().optional(),
});
const lenientSchema = frontMatterSchema.extend({ description: anyDescription });

/** Options that decide how a file is read. */
export interface SkillFile {
  readonly path: string;
  /** The skill's name if the file does not give one. */
  readonly name: string;
  /** True for a `SKILL.md`: the model is told of the skill and decides whether to read it. */
  readonly listed: boolean;
  /** True for files of plugins and installed skills: a listed skill may have no description, and a long one is cut. Default false. */
  readonly lenient?: boolean;
}

/**
 * Parses the skill in the text of a file. Rejects {@link AgentError} `INVALID_SKILL` that names the file and the field. A listed skill with
 * `disable-model-invocation` is not listed: its triggers call for it, or its name as a command.
 */
export async function parseSkill(text: string, { path, name, listed, lenient = false }: SkillFile): Promise<Skill> {
  const { data, content } = await readFrontMatter(text, path);
  const read = (lenient ? lenientSchema : frontMatterSchema).safeParse(data);
  if (!read.success) throw invalidSkill(path, firstProblem(read.error), read.error);
  const { triggers, paths, inputs, description, version, license, name: ownName = name } = read.data;
  if (content === '') throw invalidSkill(path, 'content: there is no text');
  if (listed && !lenient && description === undefined)
    throw invalidSkill(path, 'description: a listed skill needs one');
  const isUnlisted = listed && read.data['disable-model-invocation'] === true;
  const own = triggerOf(ownName, triggers, paths, inputs !== undefined);
  const trigger = own ?? (isUnlisted ? { type: 'keyword', keywords: [`/${ownName}`] } : undefined);
  return {
    name: ownName,
    content,
    source: path,
    ...(listed && !isUnlisted ? { listed } : {}),
    ...defined({ trigger, inputs, description, version, license }),
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
