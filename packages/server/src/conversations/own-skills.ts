import type { JsonObject } from '@conv/core';

import type { ServerPlugins } from '../hosting/server-plugins.ts';

/** The skills of a server that an agent has beside its own. */
export interface WantedSkills {
  /** True for the skills of the server's user. */
  readonly user: boolean;
  /** True for all public skills, or the names of some. */
  readonly public: boolean | readonly string[];
  /** Names of skills that the agent does not have. */
  readonly disabled: readonly unknown[];
}

/**
 * Resolves with skills of a server as agent contexts have them, in the order of OpenHands' catalog: the public ones first, and a skill of the
 * user in the place of the public skill of its name.
 */
export async function ownSkills(
  read: ServerPlugins['skillsFor'],
  { user, public: chosen, disabled }: WantedSkills,
): Promise<readonly JsonObject[]> {
  const open = chosen === false ? [] : await read({ user: false, public: true });
  const mine = user ? await read({ user: true, public: false }) : [];
  const names = new Set(mine.map(({ name }) => name));
  const isChosen = ({ name }: JsonObject): boolean =>
    typeof chosen === 'boolean' || chosen.includes(name as string) || names.has(name);
  const byName = new Map([...open.filter(isChosen), ...mine].map((skill) => [skill['name'], skill]));
  return [...byName.values()].filter(({ name }) => !disabled.includes(name));
}
