import type { JsonObject } from '@conv/core/events';
import { AgentError, type AgentErrorCode } from '../base/agent-error.ts';
import { distinctSkills } from './check-skills.ts';
import { defined } from '../base/defined.ts';
import { firstProblem } from '../base/first-problem.ts';
import { z } from 'zod';
import type { Skill, SkillTrigger } from './skill.ts';

const KNOWN_TRIGGERS = ['keyword', 'task', 'path'];

/** The wire's Skill object; its unknown members are ignored. */
const wireSkillSchema = z.object({
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

/** Returns a skill in the form of the wire's agent context. */
export function toWireSkill(skill: Skill): JsonObject {
  const {
    name,
    content,
    trigger,
    inputs = [],
    listed = false,
    version = '1.0.0',
    source,
    description,
    license,
  } = skill;
  return {
    name,
    content,
    ...defined({ trigger: trigger && plain(trigger), source }),
    inputs: inputs.map(({ name: input, description: about }) => ({ name: input, description: about })),
    is_agentskills_format: listed,
    version,
    ...defined({ description, license }),
    disable_model_invocation: false,
  };
}

function plain(trigger: SkillTrigger): JsonObject {
  if (trigger.type === 'keyword') return { keywords: [...trigger.keywords], type: 'keyword' };
  if (trigger.type === 'task') return { triggers: [...trigger.triggers], type: 'task' };
  return { paths: [...trigger.paths], type: 'path' };
}

/**
 * Reads the skills of a wire's agent context. Leaves out skills that it disables, and skills that nothing here could
 * call for. Throws {@link AgentError} with `code` for an entry that is no skill; the message names its index.
 */
export function skillsOfContext(
  { skills, disabled_skills: disabled }: Readonly<Record<'skills' | 'disabled_skills', readonly unknown[]>>,
  code: AgentErrorCode,
): readonly Skill[] {
  const read = skills.flatMap((skill, index) => fromWireSkill(skill, index, code) ?? []);
  // The size is not checked, so that a conversation with stored skills continues.
  return distinctSkills(read.filter(({ name }) => !disabled.includes(name)));
}

function fromWireSkill(value: unknown, index: number, code: AgentErrorCode): Skill | undefined {
  const read = wireSkillSchema.safeParse(value);
  if (!read.success) {
    const where = `agent_context.skills.${index}`;
    throw new AgentError(code, `${where}: ${firstProblem(read.error)}`, { cause: read.error });
  }
  const { name, content, trigger, inputs, description, source, version, license } = read.data;
  const known = trigger ? knownTrigger(trigger) : undefined;
  if (trigger && known === undefined) return undefined;
  const isListed = read.data.is_agentskills_format === true;
  // Only a person may call for this skill, and here only a trigger can.
  if (isListed && read.data.disable_model_invocation === true && known === undefined) return undefined;
  return {
    name,
    content,
    ...(isListed && read.data.disable_model_invocation !== true ? { listed: true } : {}),
    ...(inputs && inputs.length > 0 ? { inputs } : {}),
    // an empty text says as little as none
    ...defined({
      trigger: known,
      description: description || undefined,
      source: source || undefined,
      version: version || undefined,
      license: license || undefined,
    }),
  };
}

function knownTrigger(trigger: { readonly type: string }): SkillTrigger | undefined {
  return 'keywords' in trigger || 'triggers' in trigger || 'paths' in trigger ? (trigger as SkillTrigger) : undefined;
}
