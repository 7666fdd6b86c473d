import type { Skill } from './skill.ts';

/** True if the model is told of the skill and may ask for it. */
export function isInvocable({ listed, trigger }: Skill): boolean {
  return listed === true && trigger?.type !== 'path';
}
