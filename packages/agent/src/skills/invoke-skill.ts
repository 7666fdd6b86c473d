import { dirname, isAbsolute } from 'node:path';
import { toolWires, defineTool, text, type Tool } from '@conv/core/tool';
import { z } from 'zod';
import { inert, oneLine } from '../base/inert.ts';
import { skillText } from './skill-text.ts';
import { isInvocable, type Skill } from './skill.ts';

/**
 * Returns the tool by which the model reads the listed skills; no tool if there are no listed skills. The tool gives
 * the text as it stands. Commands in it are not run, because the author of a skill could then run commands without an
 * approval.
 */
export function invokeSkillTools(skills: readonly Skill[]): readonly Tool[] {
  return skills.some(isInvocable) ? [invokeSkillTool(skills)] : [];
}

function invokeSkillTool(skills: readonly Skill[]): Tool {
  return defineTool({
    name: 'invoke_skill',
    description: `Read one of the available skills: how a kind of work is done here.
Call it by the skill's name before you begin work that it fits. Once is enough, what it says stays in this conversation.`,
    input: z.object({ name: z.string().describe('The name of the skill, as it is listed.') }),
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    resources: () => [],
    wire: (tool) =>
      toolWires.native(tool, {
        definition: 'InvokeSkillTool',
        action: 'InvokeSkillAction',
        observation: 'InvokeSkillObservation',
      }),
    execute: ({ name }) => {
      const skill = skills.find((one) => one.name === name.trim());
      const isGiven = skill !== undefined && isInvocable(skill);
      const content = text(isGiven ? skillToRead(skill) : refusal(name, skill, skills));
      return { content, isError: !isGiven, fields: { skill_name: name } };
    },
  });
}

function skillToRead(skill: Skill): string {
  const { source } = skill;
  if (source === undefined || !isAbsolute(source)) return skillText(skill);
  // clients of OpenHands look for the end of this text
  return `${skillText(skill)}\n\nThe skill lies in \`${inert(dirname(source))}\`. Files that it mentions are relative to that directory.`;
}

/** Explains why a skill is not given, and lists the skills that can be asked for. */
function refusal(name: string, skill: Skill | undefined, skills: readonly Skill[]): string {
  const others = skills.filter(isInvocable).map((one) => one.name);
  const why =
    skill === undefined
      ? `There is no skill ${JSON.stringify(oneLine(name))}.`
      : `The skill ${JSON.stringify(skill.name)} cannot be asked for: it comes by itself where it is needed.`;
  return `${why} Available skills: ${others.join(', ')}.`;
}
