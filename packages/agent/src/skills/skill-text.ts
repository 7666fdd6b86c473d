import { inert, oneLine } from '../base/inert.ts';
import type { Skill } from './skill.ts';

/** Returns the text of a skill between tags with its name. */
export function skillText({ name, content, source }: Skill): string {
  const from = source === undefined ? '' : `\nFrom: ${inert(oneLine(source))}`;
  return `<SKILL>\nName: ${inert(name)}${from}\n\n${inert(content.trim())}\n</SKILL>`;
}
