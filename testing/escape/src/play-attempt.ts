import type { Sandbox } from '@conv/core/tool';

import type { Attempt } from './attempts/attempt.ts';
import { World } from './world.ts';

/** `out`: the attempt reached what it must not. `in`: it did not. */
export type Outcome = 'out' | 'in';

/** The sandboxes that an attempt meets: the strictest setting, the default, and a list of hosts, which attempts over the network meet too. */
export interface Sandboxes {
  readonly strict: Sandbox;
  readonly standard: Sandbox;
  readonly hosts: Sandbox;
}

/** The outcomes of an attempt. */
export interface Played {
  readonly attempt: string;
  /** True if the strict setting held, and so did the default one, or the list of hosts if the way leads over the network. */
  readonly ok: boolean;
  /** An attempt that does not get out here is none. */
  readonly without: Outcome;
  readonly with: Outcome;
  readonly auto: Outcome;
  readonly hosts?: Outcome;
}

/** Plays an attempt in each setting, each time in a world of its own. */
export async function playAttempt(attempt: Attempt, { strict, standard, hosts }: Sandboxes): Promise<Played> {
  const without = await outcomeOf(attempt, undefined);
  const inStrict = await outcomeOf(attempt, strict);
  const auto = await outcomeOf(attempt, standard);
  const isHeld = without === 'out' && inStrict === 'in';
  const played = { attempt: attempt.name, without, with: inStrict, auto };
  if (attempt.network !== true) return { ...played, ok: isHeld && auto === 'in' };
  const inHosts = await outcomeOf(attempt, hosts);
  return { ...played, ok: isHeld && inHosts === 'in', hosts: inHosts };
}

async function outcomeOf(attempt: Attempt, sandbox: Sandbox | undefined): Promise<Outcome> {
  const world = await World.open(sandbox);
  try {
    const output = await attempt.act(world);
    return (await attempt.escaped(world, output)) ? 'out' : 'in';
  } finally {
    await world.close();
  }
}
