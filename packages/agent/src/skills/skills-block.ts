import type { Skill } from './skill.ts';

/** Tags that the prompt is divided by: in the text of a skill they would end a block, or begin another. */
const OWN_TAGS = /<(?=\/?(?:custom_secrets|skill|skills|available_skills)\b)/gi;

/** What the model is told of the skills: those that always hold, and which there are besides. Empty when there is nothing to say. */
export function skillsBlock(skills: readonly Skill[]): string {
  const always = skills.filter(({ trigger, listed }) => trigger === undefined && listed !== true);
  const listed = skills.filter((skill) => skill.listed === true && skill.trigger?.type !== 'path');
  return [
    ...(always.length === 0 ? [] : [alwaysBlock(always)]),
    ...(listed.length === 0 ? [] : [catalogue(listed)]),
  ].join('\n\n');
}

/** The text of one skill in the tags that say which it is. */
function skillText({ name, content, source }: Skill): string {
  const from = source === undefined ? '' : `\nFrom: ${inert(oneLine(source))}`;
  return `<SKILL>\nName: ${inert(name)}${from}\n\n${inert(content.trim())}\n</SKILL>`;
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
Each of these skills says how a kind of work is done here. Read the file of one before you begin work that it fits, and keep to it; files that it mentions lie beside it.

${lines.join('\n')}
</AVAILABLE_SKILLS>`;
}

function inert(text: string): string {
  return text.replaceAll(OWN_TAGS, '&lt;');
}

function oneLine(text: string): string {
  return text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();
}
