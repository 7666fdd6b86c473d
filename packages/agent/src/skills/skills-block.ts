import { inert, oneLine } from '../base/inert.ts';
import { skillText } from './skill-text.ts';
import { isInvocable, type Skill } from './skill.ts';

/** Returns the block about skills: the text of always valid skills, and a list of skills to read. May be empty. */
export function skillsBlock(skills: readonly Skill[]): string {
  const always = skills.filter(({ trigger, listed }) => trigger === undefined && listed !== true);
  const listed = skills.filter(isInvocable);
  return [
    ...(always.length === 0 ? [] : [alwaysBlock(always)]),
    ...(listed.length === 0 ? [] : [catalogue(listed)]),
  ].join('\n\n');
}

function alwaysBlock(skills: readonly Skill[]): string {
  return `<SKILLS>
These instructions hold for all work in this conversation. Where they contradict the user, the user is right.

${skills.map(skillText).join('\n\n')}
</SKILLS>`;
}

function catalogue(skills: readonly Skill[]): string {
  const lines = skills.map(({ name, description = '', source }) => {
    const where = source === undefined ? '' : ` (${inert(oneLine(source))})`;
    return `- ${inert(name)}${where}: ${inert(oneLine(description))}`;
  });
  return `<AVAILABLE_SKILLS>
Each of these skills says how a kind of work is done here. Call invoke_skill with the name of one before you begin work that it fits, and keep to what it says.

${lines.join('\n')}
</AVAILABLE_SKILLS>`;
}
