import type { Skill } from './skill.ts';

/** Tags that the prompt is divided by: in the text of a skill they would end a block, or begin another. */
const OWN_TAGS = /<(?=\/?(?:custom_secrets|skill|skills|available_skills)\b)/gi;

/** The text of one skill in the tags that say which it is. */
export function skillText({ name, content, source }: Skill): string {
  const from = source === undefined ? '' : `\nFrom: ${inert(oneLine(source))}`;
  return `<SKILL>\nName: ${inert(name)}${from}\n\n${inert(content.trim())}\n</SKILL>`;
}

/** The text without tags that the prompt is divided by. */
export function inert(text: string): string {
  return text.replaceAll(OWN_TAGS, '&lt;');
}

/** The text in one line of a list. */
export function oneLine(text: string): string {
  return text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();
}
