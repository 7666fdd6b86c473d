import { inert, oneLine } from '../base/inert.ts';
import type { Skill } from './skill.ts';

/** The text of one skill in the tags that say which it is. */
export function skillText({ name, content, source }: Skill): string {
  const from = source === undefined ? '' : `\nFrom: ${inert(oneLine(source))}`;
  return `<SKILL>\nName: ${inert(name)}${from}\n\n${inert(content.trim())}\n</SKILL>`;
}
