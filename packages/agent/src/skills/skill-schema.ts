import { z } from 'zod';
import type { SkillInput } from './skill.ts';

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
const description = z.string().trim().min(1).max(2_000);
const inputs = z.array(z.object({ name, description: z.string().max(2_000) })).max(50);

const KNOWN_TRIGGERS = ['keyword', 'task', 'path'];

/** The members of the wire's Skill object that are read. */
interface WireSkill {
  readonly name: string;
  readonly content: string;
  readonly description?: string | null | undefined;
  readonly trigger?: { readonly type: string } | null | undefined;
  readonly inputs?: readonly SkillInput[] | null | undefined;
  readonly is_agentskills_format?: boolean | null | undefined;
  readonly disable_model_invocation?: boolean | null | undefined;
  readonly source?: string | null | undefined;
  readonly version?: string | null | undefined;
  readonly license?: string | null | undefined;
}

/** Parses the wire's Skill object; its unknown members are ignored. */
export const wireSkillSchema: z.ZodType<WireSkill> = z.object({
  name: z.string().min(1),
  content: z.string(),
  description: z.string().nullish(),
  trigger: z
    .union([
      z.object({ type: z.literal('keyword'), keywords: z.array(z.string()) }),
      z.object({ type: z.literal('task'), triggers: z.array(z.string()) }),
      z.object({ type: z.literal('path'), paths: z.array(z.string()) }),
      // A trigger of a newer program: the skill is kept, and nothing here calls for it.
      z.object({ type: z.string().refine((type) => !KNOWN_TRIGGERS.includes(type)) }),
    ])
    .nullish(),
  inputs: z.array(z.object({ name: z.string(), description: z.string() })).nullish(),
  is_agentskills_format: z.boolean().nullish(),
  disable_model_invocation: z.boolean().nullish(),
  source: z.string().nullish(),
  version: z.string().nullish(),
  license: z.string().nullish(),
});

/** The front matter of a skill file. */
interface FrontMatter {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly triggers?: readonly string[] | undefined;
  readonly paths?: readonly string[] | undefined;
  readonly inputs?: readonly SkillInput[] | undefined;
  readonly version?: string | undefined;
  readonly license?: string | undefined;
}

/** Parses the front matter of a skill file. */
export const frontMatterSchema: z.ZodType<FrontMatter> = z.object({
  name: name.optional(),
  description: description.optional(),
  triggers: words.optional(),
  paths: paths.optional(),
  inputs: inputs.optional(),
  version: z.union([z.string(), z.number()]).transform(String).optional(),
  license: z.string().max(500).optional(),
});

/** Describes the first problem, with the path of its field. */
export function firstProblem({ issues }: z.ZodError): string {
  const [issue] = issues;
  const path = issue?.path.join('.') ?? '';
  return path === '' ? (issue?.message ?? 'is not valid') : `${path}: ${issue?.message}`;
}
