import type { Enrichment } from '@conv/core';
import { lookInto } from './mentions.ts';
import { skillText } from './skill-text.ts';
import type { Skill } from './skill.ts';

/** Options for the text that is appended to a user's messages. */
export interface EnrichmentOptions {
  readonly skills: readonly Skill[];
  /** The text appended to every message. */
  readonly userSuffix: string | undefined;
}

/** True if anything could be appended to a message. */
export function enrichesMessages({ skills, userSuffix = '' }: EnrichmentOptions): boolean {
  return userSuffix.trim() !== '' || skills.some((skill) => triggersOf(skill).length > 0);
}

/** Returns the skills that `text` calls for and that are not activated yet, in order, and every message's suffix. */
export function enrich(
  { skills, userSuffix = '' }: EnrichmentOptions,
  text: string,
  activated: readonly string[],
): Enrichment {
  const isMentioned = lookInto(text);
  const called = skills.flatMap((skill) => {
    if (activated.includes(skill.name)) return [];
    const word = triggersOf(skill).find(isMentioned);
    return word === undefined ? [] : [{ skill, word }];
  });
  const suffix = userSuffix.trim();
  return {
    extendedContent: [...called.map(({ skill, word }) => added(skill, word)), ...(suffix === '' ? [] : [suffix])],
    activatedSkills: called.map(({ skill }) => skill.name),
  };
}

function triggersOf({ trigger }: Skill): readonly string[] {
  if (trigger?.type === 'keyword') return trigger.keywords;
  return trigger?.type === 'task' ? trigger.triggers : [];
}

function added(skill: Skill, word: string): string {
  const { inputs = [] } = skill;
  const lines = inputs.map(({ name, description }) => `- ${name}: ${description}`);
  const asked =
    lines.length === 0
      ? ''
      : `\n\nIt needs to be told the following. Ask the user for what they have not said.\n${lines.join('\n')}`;
  return `This skill comes with the message because ${JSON.stringify(word)} is in it. Keep to it where it fits what the user asks for.\n\n${skillText(skill)}${asked}`;
}
